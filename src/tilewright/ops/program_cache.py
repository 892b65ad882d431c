# SPDX-License-Identifier: Apache-2.0
"""Programs that have been built, kept with their device: a second call of the same kind only changes arguments."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping

from tilewright.device.chip_device import ChipDevice
from tilewright.ops.plan import Plan
from tilewright.ops.row_program import Tensors, build_program, refresh_arguments
from tilewright.program.kernel import ComputeConfigDescriptor
from tilewright.program.program import ProgramDescriptor
from tilewright.program.tensor_accessor_args import TensorAccessorArgs

_PROGRAMS_KEPT = 256


@dataclasses.dataclass(frozen=True)
class _Key:
    """What a program depends on: everything but addresses and numbers."""

    plan: Plan
    config: tuple[object, ...]
    accessors: tuple[tuple[str, tuple[int, ...]], ...]


@contextlib.contextmanager
def borrowed_program(
    device: ChipDevice,
    plan: Plan,
    tensors: Tensors,
    numbers: Mapping[str, int],
    config: ComputeConfigDescriptor,
) -> Iterator[ProgramDescriptor]:
    """The program of a call: the one built earlier with this call's arguments in it, or a new one.

    While it is borrowed nobody else gets it: another thread with the same call builds its own.
    """
    accessors = tuple(
        (name, tuple(TensorAccessorArgs(tensor).get_compile_time_args())) for name, tensor in tensors.items()
    )
    key = _Key(plan, config.state(), accessors)
    program = device.programs.pop(key, None)
    if isinstance(program, ProgramDescriptor):
        refresh_arguments(program, plan.kernels, tensors, numbers)
    else:
        program = build_program(plan, plan.kernels, tensors, numbers, config)
    try:
        yield program
    finally:
        device.programs[key] = program
        if len(device.programs) > _PROGRAMS_KEPT:
            device.programs.pop(next(iter(device.programs)), None)
