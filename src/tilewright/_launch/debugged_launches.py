# SPDX-License-Identifier: Apache-2.0
"""Breakpoints for launches that others make: ``ttnn.generic_op`` in a script, or an operation."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection, Iterator, Sequence

from tilewright._debug.breakpoints import Breakpoint, NoSuchLineError, breakpoints
from tilewright._debug.stop import StopHandler
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import intercepted_launches, run_program
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.tensor import Tensor


@contextlib.contextmanager
def debugged_launches(
    break_at: str | Breakpoint | Collection[str | Breakpoint], on_stop: StopHandler | None = None
) -> Iterator[None]:
    """Within the block every launch stops at the places given that it has; see ``RunOptions``.

    Raises:
        NoSuchLineError: at the end of the block, where no launch had a place that was given.

    Example::

        with tilewright.debugged_launches("compute.cpp:41", on_stop=look):
            ttnn.generic_op([x, y], program)
    """
    missing: dict[Breakpoint, NoSuchLineError | None] = dict.fromkeys(breakpoints(break_at))

    def launch(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions) -> Run:
        wanted = breakpoints(break_at)
        while wanted:
            try:
                stopping = dataclasses.replace(options, break_at=wanted, on_stop=on_stop)
                run = run_program(io_tensors, program, stopping)
            except NoSuchLineError as error:
                if error.breakpoint in missing:
                    missing[error.breakpoint] = error
                wanted = tuple(each for each in wanted if each != error.breakpoint)
                continue
            for each in wanted:
                missing.pop(each, None)
            return run
        return run_program(io_tensors, program, options)

    with intercepted_launches(launch):
        yield
    for error in missing.values():
        if error is not None:
            raise error
