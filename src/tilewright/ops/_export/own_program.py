# SPDX-License-Identifier: Apache-2.0
"""Package of an operation with a program of its own, fixed to one shape.

Only its author knows how the program depends on shapes, so the package takes the shape it was exported for, and
the numbers' defaults. The program is made twice, with tensors at different addresses: what changes with an address is
one, and the package puts its own there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import (
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelConfig,
    ReaderConfigDescriptor,
)
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.paper_device import paper_device
from tilewright._tensor.tensor import Tensor, allocate_tensor_on_device
from tilewright.ops._export import templates
from tilewright.ops._export.host_code import DTYPES, HostCode
from tilewright.ops._operation import Operation


class OwnProgramCode(HostCode):
    """The files of an operation with a program of its own."""

    def __init__(self, operation: Operation, shape: tuple[int, ...], config: ComputeConfigDescriptor) -> None:
        super().__init__(operation, shape, config)
        self._programs = {name: _made(operation, shape, dtype) for name, dtype in DTYPES.items()}

    @property
    def _shapes(self) -> Sequence[tuple[int, ...]]:
        return (self._shape,)

    def _more_checks(self) -> list[str]:
        main = self._operation.main_input.name
        checks = [
            f'_refuse(tuple({main}.shape) != {self._shape}, f"{main} must have shape {list(self._shape)}, '
            f'the shape of the export, got {{list({main}.shape)}}")',
            '_refuse(core_grid is not None, "the program has its own cores, and core_grid must be None")',
        ]
        for name, value in self._operation.defaults.items():
            checks.append(
                f'_refuse({name} != {value}, f"{name} must be {value}, the value of the export, got {{{name}}}")'
            )
        return checks

    def _kernel_files(self) -> dict[str, str]:
        return {
            f"{self._operation.name}/kernels/{name}/{_file(index, kernel)}": _source(kernel)
            for name, (first, _) in self._programs.items()
            for index, kernel in enumerate(first.program.kernels)
        }

    def _program(self) -> str:
        texts = {name: _program_text(name, *both) for name, both in self._programs.items()}
        return templates.OWN_PROGRAM.substitute(
            self._common,
            tensor_items=", ".join(f'"{name}": {name}' for name in (*self._tensors, *self._outputs)),
            programs="\n".join(f'    "{name}": {{\n{text}\n    }},' for name, text in texts.items()),
        )


class _Made:
    """A program with the tensors it was made for."""

    def __init__(self, program: ProgramDescriptor, tensors: Mapping[str, Tensor]) -> None:
        self.program = program
        self.addresses = {name: each.buffer_address() for name, each in tensors.items()}


def _made(operation: Operation, shape: tuple[int, ...], dtype: DataType) -> tuple[_Made, _Made]:
    """The program twice, for tensors that lie elsewhere."""
    device = paper_device("wormhole_b0")
    plan = operation.plan(shape, dtype, device)
    found = []
    for _ in range(2):
        # Between the two sets of tensors lies this one.
        allocate_tensor_on_device((64, 1024), dtype, Layout.ROW_MAJOR, device)
        tensors = operation.allocate(plan, device)
        found.append(_Made(operation.program(plan, tensors), tensors))
    return found[0], found[1]


def _file(index: int, kernel: KernelDescriptor) -> str:
    return f"{index}_{Path(kernel.name).stem}.cpp"


def _source(kernel: KernelDescriptor) -> str:
    text = kernel.kernel_source
    if kernel.source_type is SourceType.FILE_PATH:
        text = Path(kernel.kernel_source).read_text(encoding="utf-8")
    return text if "SPDX-License-Identifier" in text else f"// SPDX-License-Identifier: Apache-2.0\n{text}"


def _program_text(dtype: str, first: _Made, second: _Made) -> str:
    """The parts of a program as Python."""
    pairs = zip(first.program.kernels, second.program.kernels, strict=True)
    kernels = [_kernel_text(dtype, index, a, b, first, second) for index, (a, b) in enumerate(pairs)]
    cbs = [
        f"({each.total_size}, {_ranges(each.core_ranges)}, "
        f"{[(f.buffer_index, f.data_format.name, f.page_size) for f in each.format_descriptors]})"
        for each in first.program.cbs
    ]
    semaphores = [
        f"({each.id}, {each.initial_value}, {_ranges(each.core_ranges)})" for each in first.program.semaphores
    ]
    entries = {"kernels": kernels, "cbs": cbs, "semaphores": semaphores}
    return "\n".join(
        line
        for name, items in entries.items()
        for line in (f'        "{name}": [', *(f"            {item}," for item in items), "        ],")
    )


def _kernel_text(dtype: str, index: int, a: KernelDescriptor, b: KernelDescriptor, first: _Made, second: _Made) -> str:
    runtime = {
        (core.x, core.y): _arguments(words, others, first, second)
        for (core, words), (_, others) in zip(a.runtime_args.to_list(), b.runtime_args.to_list(), strict=True)
    }
    common = _arguments(a.common_runtime_args, b.common_runtime_args, first, second)
    parts = {
        "file": f"{dtype}/{_file(index, a)}",
        "cores": _ranges(a.core_ranges),
        "compile_time_args": list(a.compile_time_args),
        "named_compile_time_args": [tuple(each) for each in a.named_compile_time_args],
        "defines": [tuple(each) for each in a.defines],
        "runtime_args": runtime,
        "common_runtime_args": common,
        "config": _config(a.config),
    }
    inside = "".join(f"\n                {name!r}: {value!r}," for name, value in parts.items())
    return f"{{{inside}\n            }}"


def _arguments(a: Sequence[int], b: Sequence[int], first: _Made, second: _Made) -> list[int | str]:
    """Arguments as numbers; what is a tensor's address in both programs as its name."""
    known = {(first.addresses[name], second.addresses[name]): name for name in first.addresses}
    return [known.get(pair, pair[0]) for pair in zip(a, b, strict=True)]


def _ranges(cores: CoreRangeSet) -> list[tuple[int, int, int, int]]:
    return [(each.start.x, each.start.y, each.end.x, each.end.y) for each in cores.ranges()]


def _config(config: KernelConfig) -> tuple[object, ...]:
    if isinstance(config, ComputeConfigDescriptor):
        modes = [each.name for each in config.unpack_to_dest_mode]
        flags = (config.math_approx_mode, config.fp32_dest_acc_en, config.dst_full_sync_en)
        return ("compute", config.math_fidelity.name, *flags, modes)
    if isinstance(config, DataMovementConfigDescriptor):
        return ("data movement", config.processor.name, config.noc.name)
    return ("reader",) if isinstance(config, ReaderConfigDescriptor) else ("writer",)
