# SPDX-License-Identifier: Apache-2.0
"""The smallest circular buffers with which a program still ends with the same result: searched for, proven by running.

Buffers are made smaller one after the other, each as far as it goes with those before it already small. So no single
buffer of the result can be made smaller, and the last run was one with all of them at these depths. A depth must also
let the page counts between two wraps add up to it; where they do not, the run ends with an error, and the depth is out.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from tilewright._errors import RunError
from tilewright._launch.observer import Launch, Memory
from tilewright._program.circular_buffer import CBDescriptor
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run

_TRIES_PER_BUFFER = 16

Progress = Callable[[str, int], None]  # buffer, depth tried


def smallest_depths(
    launch: Launch,
    before: Memory | None = None,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> dict[int, int]:
    """Pages by position in ``program.cbs``. Buffers that lie in tensors are left out.

    Memory holds the program's result afterwards.

    Args:
        before: the memory to run on; as it is now, if left out.

    Raises:
        RunError: the program does not end even as it is.
    """
    search = _Search(launch, launch.save() if before is None else before, time_limit, progress)
    try:
        return search.run()
    finally:
        launch.restore(search.result)


class _Search:
    def __init__(self, launch: Launch, before: Memory, time_limit: float | None, progress: Progress | None) -> None:
        self._launch = launch
        self._program = launch.program
        self._options = dataclasses.replace(launch.options, time_limit=time_limit or launch.options.time_limit)
        self._progress = progress
        self._before = before
        self._first = launch.run_again(before, self._options)
        self.result = launch.save()

    def run(self) -> dict[int, int]:
        cbs = [cb.copy() for cb in self._program.cbs]
        found: dict[int, int] = {}
        for position, cb in enumerate(cbs):
            # Only what is a plain circular buffer: others lie in tensors or are scratchpads.
            if type(cb) is CBDescriptor and not cb.is_over_tensor() and len(cb.format_descriptors):
                found[position] = self._smallest(cbs, position)
        return found

    def _smallest(self, cbs: list[CBDescriptor], position: int) -> int:
        cb = cbs[position]
        unit = math.lcm(*(each.page_size for each in cb.format_descriptors))
        page = min(each.page_size for each in cb.format_descriptors)
        whole = cb.total_size
        for depth in _candidates(_least_bytes(cb, self._first) // unit or 1, whole // unit):
            if self._progress is not None:
                self._progress(cb.label, depth * unit // page)
            cb.total_size = depth * unit
            if self._ends_alike(cbs):
                return depth * unit // page
        cb.total_size = whole
        return whole // page

    def _ends_alike(self, cbs: list[CBDescriptor]) -> bool:
        program = ProgramDescriptor(self._program.kernels, self._program.semaphores, cbs)
        program.semaphore_bases = self._program.semaphore_bases
        program.config_bases = self._program.config_bases
        try:
            self._launch.run_again(self._before, dataclasses.replace(self._options, spin_limit=1.0), program)
        except (RunError, ProgramError):
            return False
        return self._launch.same_results(self.result, self._launch.save())


def _least_bytes(cb: CBDescriptor, run: Run) -> int:
    """No call may ask for more than the buffer has."""
    least = 0
    for each in cb.format_descriptors:
        largest = [max(t.largest_wait, t.largest_reserve) for t in run.traffic if t.cb == each.buffer_index]
        least = max(least, max(largest, default=1) * each.page_size)
    return least


def _candidates(least: int, depth: int) -> Iterator[int]:
    """Depths to try, smallest first: the next few, then multiples of the least, which keep page counts adding up.

    >>> list(_candidates(2, 9))
    [2, 3, 4, 5, 6, 7, 8]
    """
    near = range(least, least + _TRIES_PER_BUFFER // 2)
    multiples = range(least, depth, least)
    step = -(-len(multiples) // (_TRIES_PER_BUFFER // 2)) or 1
    yield from sorted({each for each in (*near, *multiples[::step]) if each < depth})
