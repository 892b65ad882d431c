# SPDX-License-Identifier: Apache-2.0
"""A declared operation as a folder of the tt-metal tree: C++ host code, kernels and stage tests.

Everything follows from the plan that runs the declaration: circular buffers, blocks, kernels and arguments of every
dtype and strategy. The plan is that of the planner's rules, which needs no prediction of times. What a declaration can
have and this cannot write (several programs, matrices, several results, programs of one's own, requirements) is refused
by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from tilewright._planner.kernel_names import in_kernels
from tilewright._planner.plan import OperationBuffer, Variant, unpack_to_dest_modes
from tilewright._planner.strategy import Strategy
from tilewright._program.kernel_config import ComputeConfigDescriptor, UnpackToDestMode
from tilewright._tensor.dtype import DataType
from tilewright._tensor.paper_device import paper_device
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent
from tilewright.kernels import Kernel
from tilewright.ops._export import tree_templates as cpp
from tilewright.ops._export import tree_test_templates as tests
from tilewright.ops._export.host_code import DTYPES, UNALIGNED
from tilewright.ops._export.package import ExportError
from tilewright.ops._export.reference_text import host_text, largest_bound, numpy_helpers, numpy_lines
from tilewright.ops._operation import Operation
from tilewright.ops._options import EXPORTED_CONFIG, checked_config

_FORMATS = {
    DataType.BFLOAT16: "Float16_b",
    DataType.FLOAT32: "Float32",
    DataType.BFLOAT8_B: "Bfp8_b",
    DataType.INT32: "Int32",
    DataType.UINT32: "UInt32",
    DataType.UINT16: "UInt16",
}
_LINES = {
    Direction.ROWS: ("width_tiles()", "width", "slabs() * height_tiles()", "width", "tile_row", "tile-rows"),
    Direction.COLUMNS: ("height_tiles()", "height", "slabs() * width_tiles()", "height", "tile_column", "tile-columns"),
    Direction.SLABS: ("width_tiles() * height_tiles()", "width * height", "slabs()", "slab", "slab", "slabs"),
}
_SHAPES = {Extent.FULL: "shape", Extent.ROW: "shape[-1:]", Extent.COLUMN: "(*shape[:-1], 1)", Extent.SCALAR: "(1, 1)"}


def tree_files(
    operation: Operation, category: str = "reduction", config: ComputeConfigDescriptor | None = None
) -> dict[str, str]:
    """Text of each file of the folder, by its path below ``ttnn/cpp/ttnn/operations``.

    Raises:
        ExportError: the operation has something that cannot be written so.
    """
    return TreeCode(operation, category, checked_config(config) or EXPORTED_CONFIG).files()


class TreeCode:
    """The files of one operation's folder."""

    def __init__(self, operation: Operation, category: str, config: ComputeConfigDescriptor) -> None:
        _require_writable(operation)
        self._operation = operation
        self._category = category
        self._config = config
        self._variants: dict[tuple[str, Strategy], Variant] = {
            (name, strategy): variant
            for name, dtype in DTYPES.items()
            for strategy, variant in operation.variants(operation.form(dtype)).items()
        }
        tiles, elements, count, length, counter, lines = _LINES[operation.direction]
        self._names = {
            "name": operation.name,
            "camel": "".join(part.capitalize() for part in operation.name.split("_")),
            "category": category,
            "formula": operation.formula,
            "main": operation.main_input.name,
            "tensors": ", ".join(each.name for each in operation.inputs),
            "line_tiles": tiles,
            "line_elements": elements,
            "line_count": count,
            "length": length,
            "counter": counter,
            "lines": lines,
            "in_slabs": str(operation.direction is not Direction.ROWS).lower(),
        }

    def files(self) -> dict[str, str]:
        """Text of each file by its path."""
        name = self._operation.name
        root = f"{self._category}/{name}"
        return {
            f"{root}/{name}.hpp": cpp.API_HPP.substitute(self._names, api_parameters=self._parameters(True)),
            f"{root}/{name}.cpp": self._api_cpp(),
            f"{root}/{name}_nanobind.hpp": cpp.NANOBIND_HPP.substitute(self._names),
            f"{root}/{name}_nanobind.cpp": self._nanobind_cpp(),
            f"{root}/device/{name}_device_operation.hpp": self._operation_hpp(),
            f"{root}/device/{name}_device_operation.cpp": self._operation_cpp(),
            f"{root}/device/{name}_plan.hpp": cpp.PLAN_HPP.substitute(self._names),
            f"{root}/device/{name}_program_factory.cpp": self._factory_cpp(),
            f"{root}/CMakeLines.txt": cpp.CMAKE.substitute(self._names),
            **{
                f"{root}/device/kernels/{_folder(*key)}/{kernel.name}.cpp": _kernel_text(kernel)
                for key, variant in self._variants.items()
                for kernel in variant.kernels
            },
            **{f"{root}/test_dev/{file}": text for file, text in self._tests().items()},
        }

    def _parameters(self, with_defaults: bool) -> str:
        texts = [f"const Tensor& {each.name}" for each in self._operation.inputs]
        for name, parameter in self._operation.parameters.items():
            texts.append(f"float {name}{f' = {float(parameter.default)!r}f' if with_defaults else ''}")
        return ",\n    ".join(texts)

    def _api_cpp(self) -> str:
        values = "".join(f"{name}, " for name in self._operation.parameters)
        return cpp.API_CPP.substitute(
            self._names,
            definition_parameters=self._parameters(False),
            attribute_values=values,
            checks="\n".join(self._device_checks()),
        )

    def _nanobind_cpp(self) -> str:
        bound = [f'        nb::arg("{each.name}").noconvert(),' for each in self._operation.inputs]
        bound += [
            f'        nb::arg("{name}") = {float(parameter.default)!r}f,'
            for name, parameter in self._operation.parameters.items()
        ]
        return cpp.NANOBIND_CPP.substitute(self._names, bound="\n".join(bound))

    def _operation_hpp(self) -> str:
        members = [f"        float {name};" for name in self._operation.parameters]
        tensors = [f"        const Tensor& {each.name};" for each in self._operation.inputs]
        text = cpp.OPERATION_HPP.substitute(
            self._names, attribute_members="\n".join(members), tensor_members="\n".join(tensors)
        )
        return text.replace("operation_attributes_t {\n\n", "operation_attributes_t {\n")

    def _operation_cpp(self) -> str:
        operation = self._operation
        (output,) = operation.graph.outputs
        sides = []
        if not output.extent.per_column:
            sides.append("    shape[-1] = 1;")
        if not output.extent.per_row:
            sides.append("    shape[-2] = 1;")
        text = cpp.OPERATION_CPP.substitute(
            self._names,
            checks="\n".join([*self._main_checks(), *self._other_checks()]),
            output_shape="\n".join(sides),
            output_dtype=self._output_dtype(),
        )
        return text.replace(";\n\n    return TensorSpec(", ";\n    return TensorSpec(")

    def _output_dtype(self) -> str:
        operation = self._operation
        (first,) = operation.output_dtypes(DataType.BFLOAT16)
        (second,) = operation.output_dtypes(DataType.FLOAT32)
        return f"DataType::{first.name}" if first is second else f"args.{operation.main_input.name}.dtype()"

    def _device_checks(self) -> list[str]:
        """Before the launch, which refuses tensors on the host in words of its own."""
        operation = self._operation
        main = operation.main_input.name
        words = {each.name: f"{each.name.capitalize()} must be allocated on device" for each in operation.inputs}
        words[main] = operation.wording.text("on_device", main, "a tensor on the host")
        return [
            "    TT_FATAL(\n"
            f"        {name}.storage_type() == tt::tt_metal::StorageType::DEVICE && {name}.buffer() != nullptr,\n"
            f'        "{text}");'
            for name, text in words.items()
        ]

    def _main_checks(self) -> list[str]:
        """Validation of the first tensor, in the operation's own words."""
        main, wording = self._operation.main_input.name, self._operation.wording
        tensor = f"args.{main}"

        def words(kind: str) -> str:
            return wording.text(kind, main, "{}").replace('"', '\\"')

        return [
            f'    TT_FATAL({tensor}.logical_shape().rank() >= 2, "{words("rank")}", {tensor}.logical_shape().rank());',
            f'    TT_FATAL({tensor}.layout() == Layout::ROW_MAJOR, "{words("row_major")}", {tensor}.layout());',
            "    TT_FATAL(\n"
            f"        {tensor}.memory_config().memory_layout() == TensorMemoryLayout::INTERLEAVED,\n"
            f'        "{words("interleaved")}",\n        {tensor}.memory_config().memory_layout());',
            "    TT_FATAL(\n"
            f"        {tensor}.dtype() == DataType::BFLOAT16 || {tensor}.dtype() == DataType::FLOAT32,\n"
            f'        "{words("dtype")}",\n        {tensor}.dtype());',
            f'    TT_FATAL({tensor}.logical_volume() > 0, "{main} must not be empty, got shape {{}}", '
            f"{tensor}.logical_shape());",
        ]

    def _other_checks(self) -> list[str]:
        main = f"args.{self._operation.main_input.name}"
        checks = []
        for each in self._operation.inputs[1:]:
            tensor, name = f"args.{each.name}", each.name.capitalize()
            sides = _volume(each.extent, main)
            checks += [
                f"    TT_FATAL({tensor}.layout() == Layout::ROW_MAJOR, "
                f'"{name} must be in ROW_MAJOR layout, got {{}}", {tensor}.layout());',
                "    TT_FATAL(\n"
                f"        {tensor}.dtype() == {main}.dtype(),\n"
                f'        "{name} dtype must match input dtype, expected {{}} got {{}}",\n'
                f"        {main}.dtype(),\n        {tensor}.dtype());",
                "    TT_FATAL(\n"
                f"        {tensor}.logical_shape()[-1] == {sides[0]} && {tensor}.logical_volume() == {sides[1]},\n"
                f'        "{name} does not fit an input of shape {{}}, got shape {{}}",\n'
                f"        {main}.logical_shape(),\n        {tensor}.logical_shape());",
            ]
        for name, parameter in self._operation.parameters.items():
            if parameter.is_positive:
                checks.append(f'    TT_FATAL(attributes.{name} > 0, "{parameter.rule}, got {{}}", attributes.{name});')
        return checks

    def _factory_cpp(self) -> str:
        operation = self._operation
        numbers: dict[str, str] = {}
        for variant in self._variants.values():
            numbers |= {name: host_text(value) for name, value in variant.schedule.numbers.items()}
        lines = [
            f'    values["{name}"] = float_bits({_cpp_number(text, operation.parameters)});'
            for name, text in numbers.items()
        ]
        items = [f'{{"{in_kernels(each.name)}", &args.{each.name}}}' for each in operation.inputs]
        items.append(f'{{"{in_kernels(operation.output_names[0])}", &output}}')
        text = cpp.FACTORY_CPP.substitute(
            self._names,
            variants="\n".join(self._variant(key, variant) for key, variant in self._variants.items()),
            tensor_items=", ".join(items),
            numbers="\n".join(lines),
            fidelity=self._config.math_fidelity.name,
            fp32_dest=str(self._config.fp32_dest_acc_en).lower(),
            full_sync=str(self._config.dst_full_sync_en).lower(),
            approximate=str(self._config.math_approx_mode).lower(),
        )
        return text.replace("    }\n\n    return values;", "    }\n    return values;")

    def _variant(self, key: tuple[str, Strategy], variant: Variant) -> str:
        dtype, strategy = key
        buffers = "\n".join(f"             {_buffer(each)}," for each in variant.buffers)
        kernels = ",\n".join(f"            {_table(_folder(*key), kernel)}" for kernel in variant.kernels)
        modes = unpack_to_dest_modes(variant.buffers) if self._config.fp32_dest_acc_en else []
        if not any(mode is UnpackToDestMode.UnpackToDestFp32 for mode in modes):
            modes = []
        listed = ", ".join(f"UnpackToDestMode::{mode.name}" for mode in modes)
        resident = str(strategy.keeps_lines).lower()
        return (
            f"        {{DataType::{DTYPES[dtype].name},\n            {resident},\n"
            f"            {{\n{buffers}\n            }},\n"
            f"{kernels},\n            {{{listed}}}}},"
        )

    def _bounds_by_width(self) -> dict[str, dict[int, float]]:
        """Error bounds for rows of several widths; none where lines are no rows."""
        operation = self._operation
        if operation.direction is not Direction.ROWS:
            return {}
        return {
            name: {width: float(f"{largest_bound(operation, (64, width), dtype):.3g}") for width in (128, 1024, 4096)}
            for name, dtype in DTYPES.items()
        }

    def _tests(self) -> dict[str, str]:
        operation, main = self._operation, self._operation.main_input.name
        arrays = ", ".join(f"normal({_SHAPES[each.extent]})" for each in operation.inputs)
        numbers = ", ".join(f'"{name}": {each.default} * (1 + seed)' for name, each in operation.parameters.items())
        parameters = [*(each.name for each in operation.inputs), *operation.parameters]
        reference = numpy_lines(operation.graph)
        helpers = numpy_helpers(reference)
        device = paper_device("wormhole_b0")
        plan = operation.decision((2, 3, 64, 128), DataType.BFLOAT16, device).rule  # as the factory's
        cbs = {each.buffer.index: (each.pages, each.page_bytes) for each in plan.buffers}
        cases = []
        for shape in ((2, 3, 64, 128), UNALIGNED):
            for name, dtype in DTYPES.items():
                bound = largest_bound(operation, shape, dtype)
                cases.append(f'    ({shape}, "{name}", {bound:.3g}),')
        words = {
            kind: operation.wording.text(kind, main, "{}").partition("{}")[0]
            for kind in ("rank", "row_major", "on_device", "dtype")
        }
        words["row_major"] = words["row_major"].partition(", got")[0]
        words["on_device"] = words["on_device"].partition(", got")[0]
        common = {**self._names, **words}
        dtype_text = self._output_dtype()
        fixed = dtype_text.removeprefix("DataType::").lower()
        files = {
            "inputs.py": tests.INPUTS.substitute(
                common,
                arrays=arrays,
                numbers=numbers,
                reference_parameters=", ".join(parameters),
                imports="import math\n\n" if "math." in helpers else "",
                helpers=helpers,
                reference="\n".join(f"    {line}" for line in reference),
                bounds=self._bounds_by_width(),
            ),
            "conftest.py": tests.CONFTEST.substitute(common),
            f"test_stage1_{operation.name}_api.py": tests.STAGE_1.substitute(common),
            f"test_stage2_{operation.name}_validation.py": tests.STAGE_2.substitute(common),
            f"test_stage3_{operation.name}_registration.py": tests.STAGE_3.substitute(common),
            f"test_stage4_{operation.name}_device_operation.py": tests.STAGE_4.substitute(
                common,
                output_dtype=f"ttnn.{fixed}" if dtype_text.startswith("DataType::") else "getattr(ttnn, dtype)",
            ),
            f"test_stage5_{operation.name}_program_factory.py": tests.STAGE_5.substitute(
                common,
                circular_buffers=cbs,
                kernels=[f"{kernel.name}.cpp" for kernel in self._variants["bfloat16", plan.strategy].kernels],
            ),
            f"test_stage6_{operation.name}_kernels_end.py": tests.STAGE_6.substitute(common),
            f"test_stage7_{operation.name}_numbers.py": tests.STAGE_7.substitute(common, cases="\n".join(cases)),
        }
        return {name: f"# SPDX-License-Identifier: Apache-2.0\n{text}" for name, text in files.items()}


def _require_writable(operation: Operation) -> None:
    if len(operation.parts) != 1:
        names = ", ".join(each.name for each in operation.parts)
        raise ExportError(
            f"{operation.name} becomes {len(operation.parts)} programs ({names}), and a C++ folder has one; "
            "`tilewright export FILE --output DIR` writes all of them as a Python package"
        )
    reasons = {
        "a program of its own": operation.has_whole_program,
        "a matrix product": operation.multiplication is not None,
        "several results": len(operation.output_names) != 1,
        "requirements": bool(operation.requirements),
    }
    for reason, has_it in reasons.items():
        if has_it:
            raise ExportError(
                f"{operation.name} has {reason}, which cannot be written as a C++ folder; "
                "`tilewright export FILE --output DIR` writes it as a Python package"
            )


def _folder(dtype: str, strategy: Strategy) -> str:
    return f"{dtype}_{strategy.value}"


def _kernel_text(kernel: Kernel) -> str:
    return f"// SPDX-License-Identifier: Apache-2.0\n{kernel.cpp_source()}"


def _buffer(buffer: OperationBuffer) -> str:
    size, count = buffer.size, buffer.count
    numbers = (count.per_row, count.per_block, count.fixed, count.partial, size.tile_bytes, size.stick_bytes)
    return (
        f'{{"{buffer.name}", {buffer.index}, tt::DataFormat::{_FORMATS[buffer.dtype]}, {", ".join(map(str, numbers))}}}'
    )


def _table(folder: str, kernel: Kernel) -> str:
    layout = kernel.arguments
    parts = (tuple(layout.scalars), tuple(layout.tensors), tuple(layout.runtime))
    lists = ", ".join("{" + ", ".join(f'"{name}"' for name in part) + "}" for part in parts)
    return f'{{"{folder}/{kernel.name}.cpp", {lists}}}'


def _volume(extent: Extent, main: str) -> tuple[str, str]:
    """Width and volume of an operand, as C++."""
    shape = f"{main}.logical_shape()"
    return {
        Extent.FULL: (f"{shape}[-1]", f"{shape}.volume()"),
        Extent.ROW: (f"{shape}[-1]", f"{shape}[-1]"),
        Extent.COLUMN: ("1", f"{shape}.volume() / {shape}[-1]"),
        Extent.SCALAR: ("1", "1"),
    }[extent]


def _cpp_number(text: str, parameters: Collection[str]) -> str:
    """A number that the host computes, as C++: parameters are members of the attributes."""
    if "**" in text:
        raise ExportError(f"`{text}` has a power, which cannot be written as C++ here; compute it before the call")
    text = text.replace("math.", "std::")
    return re.sub(r"\b([A-Za-z_]\w*)\b(?!\()", lambda m: f"attributes.{m[1]}" if m[1] in parameters else m[1], text)


_STUB = """\
// SPDX-License-Identifier: Apache-2.0
// A stub: it moves nothing and ends. Its arguments are in the order of the table in the program factory.
#include "$header"

void kernel_main() {}
"""


def stub_files(files: dict[str, str]) -> dict[str, str]:
    """The same folder with kernels that do nothing, so that no one of them waits for another."""
    stubs = {}
    for path, text in files.items():
        if "/kernels/" in path:
            is_compute = Path(path).name.startswith("compute")
            header = "api/compute/compute_kernel_api.h" if is_compute else "api/dataflow/dataflow_api.h"
            text = _STUB.replace("$header", header)
        stubs[path] = text
    return stubs


def write_folder(files: dict[str, str], root: Path, target: Path) -> list[Path]:
    """Writes a folder's files below ``root`` and returns them; ``target`` is the folder itself.

    Raises:
        ExportError: the folder exists and is not empty, or cannot be written.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ExportError(f"{target} is not empty; take it away, or write elsewhere")
    try:
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error}") from error
    return [root / name for name in files]


def write_tree(operation: Operation, tree: Path, category: str) -> list[Path]:
    """Writes the folder into a checkout of tt-metal and returns its files."""
    root = tree / "ttnn" / "cpp" / "ttnn" / "operations"
    return write_folder(tree_files(operation, category), root, root / category / operation.name)
