# SPDX-License-Identifier: Apache-2.0
"""Fill in the templates of a hardware package; the result uses ``ttnn`` only.

A package plans for itself: it has the kernels of every dtype and strategy, what their circular buffers' sizes follow
from, and a copy of :mod:`tilewright._planner.line_plan`, by which we plan too.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence

from tilewright import __version__
from tilewright._planner import line_plan, work_grid
from tilewright._planner.kernel_names import in_kernels
from tilewright._planner.plan import OperationBuffer, Variant, unpack_to_dest_modes
from tilewright._planner.shared_kernels import NUM_SEMAPHORES
from tilewright._planner.strategy import Strategy
from tilewright._program.kernel_config import ComputeConfigDescriptor, UnpackToDestMode
from tilewright._tensor.dtype import DataType
from tilewright._tensor.ttnn_names import TTNN_RELEASE
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent
from tilewright.kernels import Kernel
from tilewright.ops._export import templates
from tilewright.ops._export.reference_text import host_text, largest_bound, torch_lines
from tilewright.ops._operation import Operation

DTYPES = {"bfloat16": DataType.BFLOAT16, "float32": DataType.FLOAT32}
# Shapes an exported test runs besides the one asked for: rows and columns that end inside a tile.
UNALIGNED = (3, 47, 100)
_SHAPES = {Extent.FULL: "shape", Extent.ROW: "shape[-1:]", Extent.COLUMN: "(*shape[:-1], 1)", Extent.SCALAR: "(1, 1)"}


class HostCode:
    """The files of one operation."""

    def __init__(
        self,
        operation: Operation,
        shape: tuple[int, ...],
        config: ComputeConfigDescriptor,
        by_dtype: Mapping[str, Operation] | None = None,
    ) -> None:
        """``by_dtype``: the operation for calls of each dtype, where they differ."""
        self._operation = operation
        self._shape = shape
        self._config = config
        of_dtype = by_dtype or dict.fromkeys(DTYPES, operation)
        self._variants: dict[tuple[str, Strategy], Variant] = {
            (name, strategy): variant
            for name, dtype in DTYPES.items()
            for strategy, variant in of_dtype[name].variants(of_dtype[name].form(dtype)).items()
        }
        self._tensors = tuple(each.name for each in operation.inputs)
        self._outputs = operation.output_names
        short, long = (
            {
                **of_dtype[name].input_dtypes(dtype),
                **dict(zip(self._outputs, of_dtype[name].output_dtypes(dtype), strict=True)),
            }
            for name, dtype in DTYPES.items()
        )
        # Tensors whose dtype is the same in every call: casts, and intermediates that are float32.
        self._fixed = {name: dtype for name, dtype in short.items() if dtype is long[name]}
        self._output_dtypes = [
            f"ttnn.{self._fixed[name].name.lower()}" if name in self._fixed else f"{operation.main_input.name}.dtype"
            for name in self._outputs
        ]
        self._keywords = keywords(operation)
        self._common = {
            "name": operation.name,
            "formula": operation.formula,
            "dtypes": " or ".join(DTYPES),
            "version": __version__,
            "ttnn_version": TTNN_RELEASE,
            "tensors": ", ".join([*self._tensors, *self._outputs]),
            "main": operation.main_input.name,
            "rows_shape": self._rows_shape(operation),
            "inner_width": f"{operation.main_input.name}.shape[-1]" if operation.multiplication else 0,
            "program_parameters": ", ".join([*self._tensors, *self._outputs, *operation.parameters]),
            "plan_module": ".plan",
            "grid_module": ".work_grid",
        }

    @staticmethod
    def _rows_shape(operation: Operation) -> str:
        """The shape of the rows that results are made of, as Python."""
        main, made = operation.main_input.name, operation.multiplication
        if made is None:
            return f"tuple({main}.shape)"
        return f"(*tuple({main}.shape)[:-1], {made.right.name}.shape[{-2 if made.is_transposed else -1}])"

    def files(self, command: str) -> dict[str, str]:
        """Text of each file by its path. ``command`` is what would write the package again."""
        name = self._operation.name
        return {
            f"{name}/__init__.py": templates.PACKAGE.substitute(self._common),
            f"{name}/op.py": self._op(),
            **plan_files(name, self.has_product),
            **self.program_files(),
            f"test_{name}.py": self._test(),
            "README.md": templates.README.substitute(
                self._common, command=command, grid_row=grid_row(name, self.has_product)
            ),
        }

    @property
    def _directory(self) -> str:
        """Where the program and its kernels are."""
        return self._operation.name

    def program_files(self) -> dict[str, str]:
        """The program and its kernels, by path."""
        return {f"{self._directory}/program.py": self._program(), **self._kernel_files()}

    def _kernel_files(self) -> dict[str, str]:
        return {
            f"{self._directory}/kernels/{_folder(*key)}/{kernel.name}.cpp": _kernel_text(kernel)
            for key, variant in self._variants.items()
            for kernel in variant.kernels
        }

    @property
    def _shapes(self) -> Sequence[tuple[int, ...]]:
        """Shapes the package's test runs."""
        return list(dict.fromkeys((self._shape, UNALIGNED)))

    def _more_checks(self) -> list[str]:
        """Further requirements of a call of the package."""
        return []

    def _op(self) -> str:
        operation, main = self._operation, self._operation.main_input
        others = [each.name for each in operation.inputs if each is not main]
        checks = [f"_check_first({main.name})", *self.shape_checks(others, main.name)]
        checks += [*call_checks(operation), *self._more_checks()]
        made = [
            f"{name} = _allocated({output_shape(value.extent)}, {dtype}, {main.name}, memory_config)"
            for name, value, dtype in zip(self._outputs, operation.graph.outputs, self._output_dtypes, strict=True)
        ]
        # As the operation itself is called.
        parameters = ", ".join([*self._tensors, *self._keywords, "*", "memory_config=None", "core_grid=None"])
        several = "" if len(self._outputs) == 1 else f"\n    return {', '.join(self._outputs)}"
        return templates.OP.substitute(
            self._common,
            helpers=helpers(operation),
            call_parameters=parameters,
            checks=lines(checks, 4),
            made=lines(made, 4),
            returned="return " if not several else "",
            several=several,
        )

    def shape_checks(self, names: Collection[str], first: str) -> list[str]:
        """Checks of tensors, by name, beside the main one, and with the dtype of the first."""
        operation, main, checks = self._operation, self._operation.main_input, []
        for each in operation.inputs:
            if each.name in names:
                rows = f"tuple({main.name}.shape)" if each.name in operation.multiplied else self._rows_shape(operation)
                shape = _SHAPES[each.extent].replace("shape", rows)
                if each.name == operation.right:
                    shape = self._right_shape()
                checks.append(f'_check_other("{each.name.capitalize()}", {each.name}, {shape}, {first})')
        for name in operation.needed_twice:
            assert operation.multiplication is not None
            matrix = operation.multiplication.right.name
            message = f"{name.capitalize()} is needed before a matmul and after it, so {matrix} must be square"
            side = -2 if operation.multiplication.is_transposed else -1
            checks.append(f'_refuse({main.name}.shape[-1] != {matrix}.shape[{side}], "{message}")')
        return checks

    def _right_shape(self) -> str:
        """The shape of the matrix, or of the matrices, as Python."""
        made, main = self._operation.multiplication, self._operation.main_input.name
        assert made is not None
        right, lead = made.right.name, f"*tuple({main}.shape)[:-2], " if made.is_batched else ""
        if made.is_transposed:
            return f"({lead}{right}.shape[-2], {main}.shape[-1])"
        return f"({lead}{main}.shape[-1], {right}.shape[-1])"

    def _program(self) -> str:
        numbers: dict[str, str] = {}
        for variant in self._variants.values():
            numbers |= {name: f"float_bits({host_text(value)})" for name, value in variant.schedule.numbers.items()}
        items = [f'"{in_kernels(name)}": {name}' for name in (*self._tensors, *self._outputs)]
        has_mathematics = any("math." in text for text in numbers.values())
        keys = {key: f'("{key[0]}", "{key[1].value}")' for key in self._variants}
        buffers = {keys[key]: [_buffer(each) for each in variant.buffers] for key, variant in self._variants.items()}
        programs = {
            keys[key]: [_kernel(_folder(*key), kernel) for kernel in variant.kernels]
            for key, variant in self._variants.items()
        }
        direction = self._operation.direction
        return templates.PROGRAM.substitute(
            self._common,
            **self._placement(),
            imports="import math\n" if has_mathematics else "",
            fixed_bytes=self._fixed_bytes(),
            size_names=", ".join(f'"{name}"' for name in (*self._tensors, *self._outputs)),
            in_slabs=direction is not Direction.ROWS or self._is_in_slabs(),
            direction=direction.value,
            buffers=_entries(buffers),
            programs=_entries(programs),
            whole=lines((f"{keys[key]}: {self._whole(variant)}," for key, variant in self._variants.items()), 4),
            tensor_items=", ".join(items),
            number_items=", ".join(f'"{name}": {text}' for name, text in numbers.items()),
            fidelity=self._config.math_fidelity.name,
            approximate=self._config.math_approx_mode,
            fp32_dest=self._config.fp32_dest_acc_en,
            full_sync=self._config.dst_full_sync_en,
        )

    @property
    def has_product(self) -> bool:
        """Whether there is a matmul, whose operands may stay in L1 or be shared by cores."""
        return next(iter(self._variants.values())).schedule.multiplication is not None

    def _placement(self) -> dict[str, object]:
        """How lines lie on cores, in the words of the template."""
        if not self.has_product:
            return {"placement": templates.LINES_PLACEMENT, "more_imports": "", "semaphores": 0}
        schedule = next(iter(self._variants.values())).schedule
        keeping = sorted(
            {strategy.value for (_, strategy), each in self._variants.items() if each.schedule.makes_product_once}
        )
        plan, grid, free = self._common["plan_module"], self._common["grid_module"], schedule.freedom
        names = "fills_blocks, part_values, work_grids" if schedule.shares_operands else "unshared_cuts"
        lines = [
            *([f"from {plan} import num_blocks"] if schedule.shares_operands else []),
            f"from {grid} import Freedom, {names}",
            "",
            "# How the product may be cut: its columns on different cores, its matrix in L1, rows read ahead.",
            f"FREEDOM = Freedom({free.cuts_columns}, {free.keeps_right}, {free.reads_ahead})",
            "# Strategies in which the product is made once, so that the matrix may stay.",
            f"KEEPS_MATRIX = {keeping}",
            *([] if schedule.shares_operands else ['NO_RECEIVERS = {"left_receivers": 0, "right_receivers": 0}']),
        ]
        placement = templates.PRODUCT_PLACEMENT if schedule.shares_operands else templates.SLABS_PLACEMENT
        return {"placement": placement, "more_imports": "\n".join(lines), "semaphores": NUM_SEMAPHORES}

    def _is_in_slabs(self) -> bool:
        """Whether tile-rows begin anew with every slab."""
        made = self._operation.multiplication
        is_batched = made is not None and made.is_batched
        return is_batched or any(each.is_of_slab for each in self._operation.inputs)

    def _fixed_bytes(self) -> dict[str, int]:
        """Bytes of an element of tensors whose dtype is the same in every call; the main one by an empty name."""
        fixed = {name: dtype.element_bytes for name, dtype in self._fixed.items()}
        main = self._operation.main_input.name
        return {**fixed, **({"": self._fixed[main].element_bytes} if main in self._fixed else {})}

    def _whole(self, variant: Variant) -> tuple[int, tuple[int, ...]]:
        """How many buffers have a mode, and those that are unpacked as they are."""
        modes = unpack_to_dest_modes(variant.buffers) if self._config.fp32_dest_acc_en else []
        whole = [index for index, mode in enumerate(modes) if mode is UnpackToDestMode.UnpackToDestFp32]
        return len(modes), tuple(whole)

    def _test(self) -> str:
        return test_text(self._operation, self._shapes)


def plan_files(package: str, has_product: bool) -> dict[str, str]:
    """The modules that a package plans with, by path."""
    modules = {"plan": line_plan, **({"work_grid": work_grid} if has_product else {})}
    return {f"{package}/{name}.py": inspect.getsource(module) for name, module in modules.items()}


def grid_row(package: str, has_product: bool) -> str:
    """The line of a README about the module that cuts a product."""
    return f"\n| `{package}/work_grid.py` | parts of a product on cores, operands they share |" if has_product else ""


def keywords(operation: Operation) -> list[str]:
    """The numbers of a call with their defaults, as parameters."""
    return [f"{name}={each.default}" for name, each in operation.parameters.items()]


def call_checks(operation: Operation) -> list[str]:
    """Requirements of a call besides its tensors' shapes: numbers above zero, and the requirements."""
    checks = []
    for name, parameter in operation.parameters.items():
        if parameter.is_positive:
            checks.append(f'_refuse(not {name} > 0, f"{parameter.rule}, got {{{name}}}")')
    for requirement in operation.requirements:
        text = requirement.text.replace('"', "'")
        checks.append(f'_refuse(not ({requirement.condition}), f"{text}")')
    return checks


def helpers(operation: Operation) -> str:
    """Functions that the host code of a call uses, with the operation's wording of refusals."""
    main, wording = operation.main_input.name, operation.wording
    given = {"rank": "len(shape)", "row_major": "layout", "interleaved": "memory", "dtype": "tensor.dtype"}
    words = {each: wording.text(each, main, f"{{{text}}}") for each, text in given.items()}
    on_device = wording.text("on_device", main, "a tensor on the host")
    return templates.HELPERS.substitute(words, on_device=on_device, main=main)


def test_text(operation: Operation, shapes: Sequence[tuple[int, ...]]) -> str:
    """The test of a package."""
    tensors, cases, made = [each.name for each in operation.inputs], [], []
    for shape in shapes:
        for name, dtype in DTYPES.items():
            bound = largest_bound(operation, shape, dtype)
            cases.append(f"({shape}, torch.{name}, {bound:.3g}),")
    for each in operation.inputs:
        sides = [f"shape[{side.value}]" for side in operation.input_sides[each.name]]
        is_of_main_shape = sides == ["shape[-2]", "shape[-1]"] or each.extent is not Extent.FULL
        random = f"torch.randn({_SHAPES[each.extent]})"
        if each.is_matrix:
            random = f"torch.randn(({', '.join(sides)})) / shape[-1] ** 0.5"
        elif not is_of_main_shape:
            random = f"torch.randn((*shape[:-2], {', '.join(sides)}))"
        made.append(f"{each.name} = ({random}).bfloat16().to(dtype)")
    return templates.TEST.substitute(
        name=operation.name,
        cases=lines(cases, 4),
        made=lines(made, 4),
        given=f"*on_device({', '.join(['device', *tensors])})",
        reference_parameters=", ".join([*tensors, *keywords(operation)]),
        reference=lines(torch_lines(operation.graph), 4),
        doubles=", ".join(f"{name}.double()" for name in tensors),
    )


def _folder(dtype: str, strategy: Strategy) -> str:
    return f"{dtype}_{strategy.value}"


def output_shape(extent: Extent) -> str:
    if extent is Extent.FULL:
        return "shape"
    return f"(*shape[:-2], {'shape[-2]' if extent.per_row else 1}, {'shape[-1]' if extent.per_column else 1})"


def _kernel_text(kernel: Kernel) -> str:
    return f"// SPDX-License-Identifier: Apache-2.0\n{kernel.cpp_source()}"


def lines(lines: Iterable[str], indent: int) -> str:
    return "\n".join(" " * indent + line for line in lines)


def _entries(entries: Mapping[str, Iterable[str]]) -> str:
    """Lists by key, an item a line."""
    return "\n".join(f"    {key}: [\n{lines(items, 8)}\n    ]," for key, items in entries.items())


def _buffer(buffer: OperationBuffer) -> str:
    size, count = buffer.size, buffer.count
    counts = [count.per_row, count.per_block, count.fixed, count.partial]
    of_matmul = [count.per_inner, count.per_inner_block, count.per_left]
    counts += of_matmul if any(of_matmul) else []
    pages = f"PageCount({', '.join(map(str, counts))})"
    stick = f", {size.stick_bytes}" if size.stick_bytes else ""
    text = f"({buffer.index}, ttnn.{buffer.dtype.name.lower()}, BufferSize({pages}, {size.tile_bytes}{stick})),"
    return f"{text}  # {buffer.name}"


def _kernel(folder: str, kernel: Kernel) -> str:
    layout = kernel.arguments
    parts = (tuple(layout.scalars), tuple(layout.tensors), tuple(layout.runtime))
    inside = lines((f"{each}," for each in (f'"{folder}/{kernel.name}.cpp"', *map(_names, parts))), 12)
    return f"(\n{inside}\n        ),"


def _names(names: tuple[str, ...]) -> str:
    """A tuple of names, over several lines if it is long."""
    text = ", ".join(f'"{name}"' for name in names)
    if len(text) <= 96:
        return f"({text}{',' if len(names) == 1 else ''})"
    return "(\n" + lines((f'"{name}",' for name in names), 16) + "\n            )"
