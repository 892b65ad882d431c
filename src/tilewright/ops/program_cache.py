# SPDX-License-Identifier: Apache-2.0
"""Programs that have been built, kept with their device: a second call of the same kind only changes arguments."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping

from tilewright.device.chip_device import ChipDevice
from tilewright.ops.plan import Plan
from tilewright.ops.row_program import Tensors, build_program, refresh_arguments
from tilewright.program.kernel import ComputeConfigDescriptor, SourceType
from tilewright.program.program import ProgramDescriptor
from tilewright.program.tensor_accessor_args import TensorAccessorArgs

_PROGRAMS_KEPT = 256


@dataclasses.dataclass(frozen=True)
class _Key:
    """What a program depends on: everything but addresses and numbers."""

    plan: Plan
    config: tuple[object, ...]
    accessors: tuple[tuple[str, tuple[int, ...]], ...]


@dataclasses.dataclass
class _Kept:
    """A program between two calls; ``may_change`` says whether somebody else has it, or its kernels' files."""

    program: ProgramDescriptor
    may_change: bool


@contextlib.contextmanager
def borrowed_program(
    device: ChipDevice,
    plan: Plan,
    tensors: Tensors,
    numbers: Mapping[str, int],
    config: ComputeConfigDescriptor,
    is_shown: bool,
) -> Iterator[ProgramDescriptor]:
    """The program of a call: the one built earlier with this call's arguments in it, or a new one.

    While it is borrowed nobody else gets it: another thread with the same call builds its own. Unless the caller shows
    it to others (``is_shown``), nobody can have changed it, and its launch need not look, as long as its kernels are
    text and no files of somebody's.
    """
    accessors = tuple(
        (name, tuple(TensorAccessorArgs(tensor).get_compile_time_args())) for name, tensor in tensors.items()
    )
    key = _Key(plan, config.state(), accessors)
    kept = device.programs.pop(key, None)
    if isinstance(kept, _Kept):
        refresh_arguments(kept.program, plan.kernels, tensors, numbers)
    else:
        program = build_program(plan, plan.kernels, tensors, numbers, config)
        kept = _Kept(program, any(kernel.source_type is not SourceType.SOURCE_CODE for kernel in program.kernels))
    kept.may_change |= is_shown
    kept.program.is_built = not kept.may_change
    try:
        yield kept.program
    finally:
        kept.program.is_built = False
        device.programs[key] = kept
        if len(device.programs) > _PROGRAMS_KEPT:
            device.programs.pop(next(iter(device.programs)), None)
