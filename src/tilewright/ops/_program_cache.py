# SPDX-License-Identifier: Apache-2.0
"""Programs that have been built, kept with their device: a second call of the same kind only changes arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from tilewright._launch.chip_device import ChipDevice
from tilewright._planner.plan import Plan
from tilewright._planner.row_program import Tensors, build_program, refresh_arguments
from tilewright._program.kernel import ComputeConfigDescriptor, SourceType
from tilewright._program.program import ProgramDescriptor
from tilewright._program.tensor_accessor_args import TensorAccessorArgs

_PROGRAMS_KEPT = 256


class ProgramKey:
    """What a program depends on: everything but addresses and numbers. Its hash is computed once."""

    def __init__(self, plan: Plan, config: ComputeConfigDescriptor, tensors: Tensors) -> None:
        accessors = tuple(
            (name, tuple(TensorAccessorArgs(tensor).get_compile_time_args())) for name, tensor in tensors.items()
        )
        self._parts = (plan, config.state(), accessors)
        self._hash = hash(self._parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProgramKey) and self._parts == other._parts


@dataclasses.dataclass
class _Kept:
    """A program between two calls.

    Attributes:
        may_change: somebody else has it, or its kernels' files.
        arguments: addresses and numbers that are in it; None where that is not known.
        mark: stands for them (``ProgramDescriptor.arguments_mark``).
    """

    program: ProgramDescriptor
    may_change: bool
    arguments: tuple[object, ...] | None = None
    mark: object = None


class borrowed_program:  # noqa: N801 (used like a function)
    """The program of a call: the one built earlier with this call's arguments in it, or a new one.

    While it is borrowed nobody else gets it: another thread with the same call builds its own. Unless the caller shows
    it to others (``is_shown``), nobody can have changed it, and its launch need not look, as long as its kernels are
    text and no files of somebody's.
    """

    def __init__(
        self,
        device: ChipDevice,
        key: ProgramKey,
        plan: Plan,
        tensors: Tensors,
        numbers: Mapping[str, int],
        config: ComputeConfigDescriptor,
        is_shown: bool,
    ) -> None:
        kept = device.programs.pop(key, None)
        arguments = (*[each.buffer_address() for each in tensors.values()], *numbers.values())
        if not isinstance(kept, _Kept):
            program = build_program(plan, plan.kernels, tensors, numbers, config)
            kept = _Kept(program, any(kernel.source_type is not SourceType.SOURCE_CODE for kernel in program.kernels))
        elif kept.arguments != arguments:
            refresh_arguments(kept.program, plan.kernels, tensors, numbers)
        if kept.arguments != arguments:
            kept.arguments, kept.mark = arguments, object()
        kept.may_change |= is_shown
        self._programs, self._key, self._kept = device.programs, key, kept

    def __enter__(self) -> ProgramDescriptor:
        kept = self._kept
        program = kept.program
        if not kept.may_change:
            program.is_built, program.arguments_mark = True, kept.mark
        return program

    def __exit__(self, *exception: object) -> None:
        kept = self._kept
        if kept.program.arguments_mark is not kept.mark:  # it was not lent, or has been shown after all
            kept.arguments = None
        kept.program.is_built, kept.program.arguments_mark = False, None
        self._programs[self._key] = kept
        if len(self._programs) > _PROGRAMS_KEPT:
            self._programs.pop(next(iter(self._programs)), None)
