# SPDX-License-Identifier: Apache-2.0
"""Fills in the texts of a package for hardware. All of it says ``ttnn`` and nothing of ours.

Values that follow from the shape are written down as numbers, next to their names; addresses, accessors and numbers
come from the call.
"""

from __future__ import annotations

from collections.abc import Iterable

from tilewright import __version__
from tilewright.formula.graph import nodes_of
from tilewright.kernels import Kernel
from tilewright.kernels.language import Role
from tilewright.ops.export import templates
from tilewright.ops.export.reference_text import host_text, largest_bound, torch_lines
from tilewright.ops.operation import Operation
from tilewright.ops.plan import Plan, PlannedBuffer
from tilewright.ops.row_program import Kernels, compile_time_values
from tilewright.program.kernel import ComputeConfigDescriptor, UnpackToDestMode
from tilewright.tensor.cores import CoreRange
from tilewright.tensor.dtype import DataType

TTNN_VERSION = "0.81"
_CONFIGS = {
    Role.READER: "ttnn.ReaderConfigDescriptor()",
    Role.WRITER: "ttnn.WriterConfigDescriptor()",
    Role.COMPUTE: "config",
}


class HostCode:
    """The files of one operation with one plan."""

    def __init__(self, operation: Operation, plan: Plan, config: ComputeConfigDescriptor, arch: str) -> None:
        self._operation = operation
        self._plan = plan
        self._kernels: Kernels = plan.kernels
        self._config = plan.compute_config(config)
        self._tensors = tuple(each.name for each in operation.inputs)
        self._outputs = operation.output_names
        self._numbers = tuple(operation.parameters)
        self._keywords = [f"{name}={each.default}" for name, each in operation.parameters.items()]
        dtype = plan.rows.dtype.name.lower()
        self._common = {
            "name": operation.name,
            "formula": operation.formula,
            "purpose": f"{dtype} tensors of shape {plan.rows.shape} on {arch}",
            "shape": plan.rows.shape,
            "dtype": dtype,
            "version": __version__,
            "ttnn_version": TTNN_VERSION,
            "tensors": ", ".join([*self._tensors, *self._outputs]),
            "main": operation.main_input.name,
            "program_parameters": ", ".join([*self._tensors, *self._outputs, *self._numbers]),
        }

    def files(self, command: str) -> dict[str, str]:
        """Text of each file by its path. ``command`` is what would write the package again."""
        name = self._operation.name
        kernels = {f"{name}/kernels/{kernel.name}.cpp": _kernel_text(kernel) for kernel in self._kernels}
        return {
            f"{name}/__init__.py": templates.PACKAGE.substitute(self._common),
            f"{name}/op.py": self._op(),
            f"{name}/program.py": self._program(),
            **kernels,
            f"test_{name}.py": self._test(),
            "README.md": templates.README.substitute(self._common, command=command, kernels=self._kernel_list()),
        }

    def _kernel_list(self) -> str:
        return ", ".join(f"{kernel.role.value} `{kernel.name}`" for kernel in self._kernels)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        shape = self._plan.rows.shape
        return {each.name: each.shape_of(shape) for each in self._operation.inputs}

    def _op(self) -> str:
        checks = [f'_check("{name}", {name}, {shape})' for name, shape in self._shapes().items()]
        for name, each in self._operation.parameters.items():
            if each.is_positive:
                checks += [f"if not {name} > 0:", f'    raise ValueError(f"{each.rule}, got {{{name}}}")']
        shapes = self._operation.output_shapes(self._plan.rows.shape)
        made = [
            f"{name} = _allocated({shape}, {self._operation.main_input.name}, memory_config)"
            for name, shape in zip(self._outputs, shapes, strict=True)
        ]
        # As the operation itself is called.
        parameters = ", ".join([*self._tensors, *self._keywords, "*", "memory_config=None"])
        several = "" if len(self._outputs) == 1 else f"\n    return {', '.join(self._outputs)}"
        return templates.OP.substitute(
            self._common,
            call_parameters=parameters,
            checks=_lines(checks, 4),
            made=_lines(made, 4),
            returned="return " if not several else "",
            several=several,
        )

    def _program(self) -> str:
        plan, names = self._plan, self._work_names()
        work = [
            f"(({each.core.x}, {each.core.y}), {', '.join(str(each.value(name)) for name in names)}),"
            for each in plan.split.work
        ]
        calls = [f"_{kernel.name}({', '.join(self._parameters(kernel))})," for kernel in self._kernels]
        has_numbers = bool(plan.schedule.numbers)
        return templates.PROGRAM.substitute(
            self._common,
            plan=plan.describe(),
            split=plan.split.describe(),
            imports="import math\nimport struct\n" if has_numbers else "",
            core_ranges=_lines((f"{_core_range(each)}," for each in plan.split.cores.ranges()), 8),
            circular_buffers=_lines(map(_buffer, plan.buffers), 4),
            work_names=", ".join(names),
            work=_lines(work, 4),
            kernel_calls=_lines(calls, 12),
            kernels="".join(map(self._kernel, self._kernels)) + (templates.FLOAT_BITS if has_numbers else ""),
        )

    def _work_names(self) -> list[str]:
        """Runtime arguments that differ from core to core."""
        names = [name for kernel in self._kernels for name in kernel.arguments.runtime]
        of_the_call = (*self._tensors, *self._outputs, *self._plan.schedule.numbers)
        return [name for name in dict.fromkeys(names) if name not in of_the_call]

    def _parameters(self, kernel: Kernel) -> list[str]:
        layout = kernel.arguments
        used = [value for name, value in self._plan.schedule.numbers.items() if name in layout.runtime]
        numbers = [node.name for value in used for node in nodes_of([value]) if node.function == "parameter"]
        return [*layout.tensors, *dict.fromkeys(numbers)]

    def _kernel(self, kernel: Kernel) -> str:
        layout = kernel.arguments
        values = compile_time_values(self._plan, dict.fromkeys(layout.tensors, self._plan.rows.dtype))
        accessors = [
            f"\n    compile_time_args += ttnn.TensorAccessorArgs({name}).get_compile_time_args()"
            for name in layout.tensors
        ]
        return templates.KERNEL.substitute(
            name=kernel.name,
            purpose=(kernel.__doc__ or kernel.name).strip().split("\n")[0],
            parameters=", ".join(self._parameters(kernel)),
            compile_time_args=_lines((f"{values[name]},  # {name}" for name in layout.scalars), 8),
            accessors="".join(accessors),
            work_names=", ".join(self._work_names()),
            runtime_args=_lines((f"{self._runtime_value(name, layout.tensors)}," for name in layout.runtime), 12),
            config=_compute_config(self._config) if kernel.role is Role.COMPUTE else "",
            config_name=_CONFIGS[kernel.role],
        )

    def _runtime_value(self, name: str, tensors: Iterable[str]) -> str:
        if name in tensors:
            return f"{name}.buffer_address()"
        numbers = self._plan.schedule.numbers
        return f"_float_bits({host_text(numbers[name])})" if name in numbers else name

    def _test(self) -> str:
        rows, shapes = self._plan.rows, self._shapes()
        dtype = rows.dtype.name.lower()
        # Of a float32 the matrix unit takes 10 mantissa bits; these it takes whole.
        widened = "" if rows.dtype is DataType.BFLOAT16 else f".to(torch.{dtype})"
        made = [f"{name} = torch.randn({shape}).bfloat16(){widened}" for name, shape in shapes.items()]
        return templates.TEST.substitute(
            self._common,
            made=_lines(made, 4),
            given=f"*on_device({', '.join(['device', *self._tensors])})",
            reference_parameters=", ".join([*self._tensors, *self._keywords]),
            reference=_lines(torch_lines(self._operation.graph), 4),
            doubles=", ".join(f"{name}.double()" for name in self._tensors),
            bound=f"{largest_bound(self._operation, self._plan):.3g}",
        )


def _kernel_text(kernel: Kernel) -> str:
    return f"// SPDX-License-Identifier: Apache-2.0\n{kernel.cpp_source()}"


def _lines(lines: Iterable[str], indent: int) -> str:
    return "\n".join(" " * indent + line for line in lines)


def _core_range(cores: CoreRange) -> str:
    start, end = cores.start, cores.end
    return f"ttnn.CoreRange(ttnn.CoreCoord({start.x}, {start.y}), ttnn.CoreCoord({end.x}, {end.y}))"


def _buffer(planned: PlannedBuffer) -> str:
    values = f"{planned.buffer.index}, {planned.pages}, {planned.page_bytes}, ttnn.{planned.dtype.name.lower()}"
    return f"({values}),  # {planned.buffer.name}: {planned.buffer.purpose}"


def _compute_config(config: ComputeConfigDescriptor) -> str:
    text = templates.COMPUTE_CONFIG.substitute(
        fidelity=config.math_fidelity.name,
        approximate=config.math_approx_mode,
        fp32_dest=config.fp32_dest_acc_en,
        full_sync=config.dst_full_sync_en,
    )
    modes = list(config.unpack_to_dest_mode)
    whole = tuple(index for index, mode in enumerate(modes) if mode is UnpackToDestMode.UnpackToDestFp32)
    return text + (templates.UNPACK_TO_DEST.substitute(count=len(modes), indices=whole) if whole else "")
