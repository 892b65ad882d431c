# SPDX-License-Identifier: Apache-2.0
"""Package of an operation that runs as several programs: a folder for each of them, and one call."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright import __version__
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._tensor.ttnn_names import TTNN_RELEASE
from tilewright.ops._export import templates
from tilewright.ops._export.host_code import (
    DTYPES,
    UNALIGNED,
    HostCode,
    call_checks,
    grid_row,
    helpers,
    keywords,
    lines,
    output_shape,
    plan_files,
    test_text,
)
from tilewright.ops._operation import Operation
from tilewright.ops._split_operation import SplitOperation

_LICENSE = "# SPDX-License-Identifier: Apache-2.0\n"


class _PartCode(HostCode):
    """Program and kernels of one part."""

    def __init__(self, name: str, parts: Sequence[Operation], shape: tuple[int, ...], config: ComputeConfigDescriptor):
        super().__init__(parts[0], shape, config, dict(zip(DTYPES, parts, strict=True)))
        self._whole_name = name
        self._common |= {"plan_module": "..plan", "grid_module": "..work_grid"}

    @property
    def _directory(self) -> str:
        return f"{self._whole_name}/{self._operation.name}"

    def step_lines(self, whole: SplitOperation, checked: set[str]) -> list[str]:
        """Checks of the tensors that no earlier part has checked, results, and the launch."""
        part, own = self._operation, {each.name for each in whole.inputs}
        fresh = [each.name for each in part.inputs if each.name in own and each.name not in checked]
        checked |= set(fresh)
        first, names = whole.main_input.name, dict(zip(part.output_names, self._made_names(whole), strict=True))
        made = [*self.shape_checks(fresh, first), f"shape = {self._rows_shape(part)}"]
        for inside, value in zip(part.output_names, part.graph.outputs, strict=True):
            fixed = self._fixed.get(inside)
            dtype = f"{first}.dtype" if fixed is None else f"ttnn.{fixed.name.lower()}"
            is_result = any(each in whole.output_names for each in part.makes)
            place = "memory_config" if is_result else "ttnn.DRAM_MEMORY_CONFIG"
            made.append(f"{names[inside]} = _allocated({output_shape(value.extent)}, {dtype}, {first}, {place})")
        tensors = [*self._tensors, *names.values()]
        given = [*tensors, *part.parameters, "core_grid", "dtype"]
        call = f"{part.name}.program({', '.join(given)})"
        return [f"# {part.name}: {part.graph.text()}", *made, f"ttnn.generic_op([{', '.join(tensors)}], {call})"]

    def _made_names(self, whole: SplitOperation) -> list[str]:
        """Names of what the part makes, as later parts have them."""
        values = dict(zip(whole.output_names, whole.graph.outputs, strict=True))
        makes = self._operation.makes
        return [whole.split.name_of(values[each]) or each if each in values else each for each in makes]


class SplitCode:
    """The files of one operation of several programs."""

    def __init__(self, operation: SplitOperation, shape: tuple[int, ...], config: ComputeConfigDescriptor) -> None:
        self._operation = operation
        self._shape = shape
        of_dtypes = [operation.parts_for(dtype) for dtype in DTYPES.values()]
        self._parts = [_PartCode(operation.name, each, shape, config) for each in zip(*of_dtypes, strict=True)]
        self._common = {
            "name": operation.name,
            "formula": operation.formula,
            "dtypes": " or ".join(DTYPES),
            "version": __version__,
            "ttnn_version": TTNN_RELEASE,
            "count": len(operation.parts),
            "main": operation.main_input.name,
        }

    def files(self, command: str) -> dict[str, str]:
        """Text of each file by its path. ``command`` is what would write the package again."""
        name, parts = self._operation.name, self._operation.parts
        rows = [
            f"| `{name}/{each.name}/` | `{', '.join(each.makes)} = {each.graph.text()}`: program and kernels |"
            for each in parts
        ]
        has_product = any(each.has_product for each in self._parts)
        files = {
            f"{name}/__init__.py": templates.PACKAGE.substitute(self._common),
            f"{name}/op.py": self._op(),
            **plan_files(name, has_product),
        }
        for code, part in zip(self._parts, parts, strict=True):
            files |= {f"{name}/{part.name}/__init__.py": _LICENSE, **code.program_files()}
        shapes = list(dict.fromkeys((self._shape, UNALIGNED)))
        return {
            **files,
            f"test_{name}.py": test_text(self._operation, shapes),
            "README.md": templates.SPLIT_README.substitute(
                self._common, parts="\n".join(rows), command=command, grid_row=grid_row(name, has_product)
            ),
        }

    def _op(self) -> str:
        operation, checked = self._operation, {self._operation.main_input.name}
        steps = [line for each in self._parts for line in each.step_lines(operation, checked)]
        values = dict(zip(operation.output_names, operation.graph.outputs, strict=True))
        made = {id(value): operation.split.name_of(value) or name for name, value in reversed(values.items())}
        tensors = [each.name for each in operation.inputs]
        parameters = [*tensors, *keywords(operation), "*", "memory_config=None", "core_grid=None"]
        return templates.SPLIT_OP.substitute(
            self._common,
            imports="\n".join(f"from .{each.name} import program as {each.name}" for each in operation.parts),
            call_parameters=", ".join(parameters),
            checks=lines([f"_check_first({operation.main_input.name})", *call_checks(operation)], 4),
            steps=lines(steps, 4),
            outputs=", ".join(made[id(each)] for each in operation.graph.outputs),
            helpers=helpers(operation),
        )
