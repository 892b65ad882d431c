# SPDX-License-Identifier: Apache-2.0
"""Checking every launch of a stretch of code: a script, a test, an operation's call."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import intercepted_launches
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.tensor import Tensor
from tilewright.check._check_program import CheckResult, check_program


@contextlib.contextmanager
def every_launch_checked(
    seeds: int | None = None, on_result: Callable[[CheckResult], None] | None = None
) -> Iterator[list[CheckResult]]:
    """Within the block every launch is a checked one; gives the list of their results.

    A launch with findings goes on, and one that cannot end raises what it would raise without the checker.

    Example::

        with every_launch_checked() as results:
            my_operation(x)
        assert all(result.ok for result in results)
    """
    results: list[CheckResult] = []

    def launch(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions) -> Run:
        result = check_program(io_tensors, program, options, seeds=seeds)
        results.append(result)
        if on_result is not None:
            on_result(result)
        if result.error is not None:
            raise result.error
        assert result.run is not None
        return result.run

    with intercepted_launches(launch):
        yield results
