# SPDX-License-Identifier: Apache-2.0
"""Running a program on the device its tensors are on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.run_options import RunOptions
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._program.validate import validate_program
from tilewright._record.run import Run
from tilewright._tensor.argument import require
from tilewright._tensor.tensor import Tensor, tensor_list

# Gets what ``run_program`` got.
Launch = Callable[[Sequence[Tensor], ProgramDescriptor, RunOptions], Run]
_interceptors: list[Launch] = []
_USUAL_OPTIONS = RunOptions()


@contextlib.contextmanager
def intercepted_launches(launch: Launch) -> Iterator[None]:
    """Within the block every launch goes through ``launch``, whose own launches do not."""
    _interceptors.append(launch)
    try:
        yield
    finally:
        _interceptors.remove(launch)


@contextlib.contextmanager
def _not_intercepted() -> Iterator[Launch]:
    launch = _interceptors.pop()
    try:
        yield launch
    finally:
        _interceptors.append(launch)


def run_program(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions | None = None) -> Run:
    """Like ``ttnn.generic_op``, but gives back the record of the run.

    Args:
        io_tensors: inputs and, last, the output, all on one device.
        program: what to run; everything wrong with it is said before it runs.
        options: threads, limits, and what is to be watched and kept; the usual ones if left out.

    Example::

        run = tilewright.run_program([x, y], program, tilewright.RunOptions(time_limit=10))
        print(run.seconds, [(use.index, use.peak) for use in run.circular_buffers])
    """
    options = _USUAL_OPTIONS if options is None else require("options", options, RunOptions, "a tilewright.RunOptions")
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    if _interceptors and not options.watches:
        program.arguments_mark = None  # who gets it may change what is in it
        with _not_intercepted() as launch:
            return launch(io_tensors, program, options)
    io_tensors = tensor_list("io_tensors", io_tensors)
    last = io_tensors[-1]
    if not isinstance(last, Tensor):
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is not a ttnn.Tensor but {type(last).__name__}"])
    device = last.device()
    if device is None:
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is on the host; it must be on a device"])
    validate_program(program, device, io_tensors)
    return cast(ChipDevice, device).chip.launch(program, options, io_tensors)
