# SPDX-License-Identifier: Apache-2.0
"""Fills in the texts of a package for hardware. All of it says ``ttnn`` and nothing of ours.

Values that follow from the shape are written down as numbers, next to their names; addresses, accessors and epsilon
come from the call.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tilewright import __version__
from tilewright.kernels import Kernel
from tilewright.kernels.language import Role
from tilewright.ops.export import templates
from tilewright.ops.operation import Operation
from tilewright.ops.plan import Plan, PlannedBuffer, compute_config
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
        self._kernels: Kernels = operation.kernels[plan.strategy]
        self._config = compute_config(config, plan)
        self._tensors = ("input_tensor", *operation.vectors)
        self._epsilon = ("epsilon",) if operation.has_epsilon else ()
        self._keywords = [f"{name}={operation.default_epsilon}" for name in self._epsilon]
        dtype = plan.rows.dtype.name.lower()
        self._common = {
            "name": operation.name,
            "formula": operation.formula,
            "purpose": f"{dtype} tensors of shape {plan.rows.shape} on {arch}",
            "shape": plan.rows.shape,
            "dtype": dtype,
            "version": __version__,
            "ttnn_version": TTNN_VERSION,
            "tensors": ", ".join(self._tensors),
            "program_parameters": ", ".join([*self._tensors, "output", *self._epsilon]),
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

    def _op(self) -> str:
        checks = ['_check("input_tensor", input_tensor, SHAPE)']
        checks += [f'_check("{name}", {name}, SHAPE[-1:])' for name in self._operation.vectors]
        if self._epsilon:
            checks += ["if not epsilon > 0:", '    raise ValueError(f"Epsilon must be positive, got {epsilon}")']
        # As the operation itself is called.
        parameters = ", ".join([*self._tensors, *self._keywords, "*", "memory_config=None"])
        return templates.OP.substitute(self._common, call_parameters=parameters, checks=_lines(checks, 4))

    def _program(self) -> str:
        plan, names = self._plan, self._work_names()
        work = [
            f"(({each.core.x}, {each.core.y}), {', '.join(str(getattr(each, name)) for name in names)}),"
            for each in plan.split.work
        ]
        calls = [f"_{kernel.name}({', '.join(self._parameters(kernel))})," for kernel in self._kernels]
        return templates.PROGRAM.substitute(
            self._common,
            plan=plan.describe(),
            split=plan.split.describe(),
            imports="import struct\n" if self._epsilon else "",
            output_shape=self._operation.output_shape(plan.rows.shape),
            core_ranges=_lines((f"{_core_range(each)}," for each in plan.split.cores.ranges()), 8),
            circular_buffers=_lines(map(_buffer, plan.buffers), 4),
            work_names=", ".join(names),
            work=_lines(work, 4),
            kernel_calls=_lines(calls, 12),
            kernels="".join(map(self._kernel, self._kernels)) + (templates.FLOAT_BITS if self._epsilon else ""),
        )

    def _work_names(self) -> list[str]:
        """Runtime arguments that differ from core to core."""
        names = [name for kernel in self._kernels for name in kernel.arguments.runtime]
        of_the_call = (*self._tensors, "output", "epsilon_bits")
        return [name for name in dict.fromkeys(names) if name not in of_the_call]

    def _parameters(self, kernel: Kernel) -> list[str]:
        layout = kernel.arguments
        return [*layout.tensors, *(["epsilon"] if "epsilon_bits" in layout.runtime else [])]

    def _kernel(self, kernel: Kernel) -> str:
        layout, values = kernel.arguments, compile_time_values(self._plan, self._kernels)
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
            runtime_args=_lines((f"{_runtime_value(name, layout.tensors)}," for name in layout.runtime), 12),
            config=_compute_config(self._config) if kernel.role is Role.COMPUTE else "",
            config_name=_CONFIGS[kernel.role],
        )

    def _test(self) -> str:
        rows, vectors = self._plan.rows, self._operation.vectors
        dtype = rows.dtype.name.lower()
        # Of a float32 the matrix unit takes 10 mantissa bits; these it takes whole.
        widened = "" if rows.dtype is DataType.BFLOAT16 else f".to(torch.{dtype})"
        made = [f"{name} = torch.randn({rows.width}).bfloat16(){widened}" for name in vectors]
        is_sum = "beta" in vectors
        texts = {
            **self._common,
            "vectors": _lines(made, 4) + "\n" if made else "",
            "given": f"*on_device({', '.join(['device', 'x', *vectors])})",
            "constant_result": "beta" if is_sum else "torch.zeros(1)",
        }
        constant_test = templates.CONSTANT_TEST.substitute(texts) if _is_centred(self._operation) else ""
        return templates.TEST.substitute(
            texts,
            reference_parameters=", ".join(["x", *vectors, *self._keywords]),
            torch_reference=self._operation.torch_reference,
            doubles=", ".join(f"{name}.double()" for name in ("x", *vectors)),
            rounded="the result or what it is the sum of" if is_sum else "the result",
            scale="torch.maximum(expected.abs(), (expected - beta.double()).abs())" if is_sum else "expected.abs()",
            constant_test=constant_test,
        )


def _is_centred(operation: Operation) -> bool:
    """Whether a row whose elements are all alike gives nothing but what is added in the end."""
    row, added = np.full((1, 32), 5.0), np.linspace(1, 2, 32)
    result = operation.reference(row, *(added for _ in operation.vectors))
    return bool(np.array_equal(result, np.broadcast_to(added if "beta" in operation.vectors else 0.0, result.shape)))


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


def _runtime_value(name: str, tensors: Iterable[str]) -> str:
    if name in tensors:
        return f"{name}.buffer_address()"
    return "_float_bits(epsilon)" if name == "epsilon_bits" else name


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
