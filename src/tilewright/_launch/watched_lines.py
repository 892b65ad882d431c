# SPDX-License-Identifier: Apache-2.0
"""Lines of kernels whose executions a run counts, and lines that kernels reach late."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tilewright._debug.breakpoints import KernelCode
from tilewright._record.run import LineCount, WatchedLine
from tilewright._wire import runner as wire
from tilewright._wire.run_report import WatchReport


class WatchedLines:
    """The watched lines of one launch, and the instructions they begin with."""

    def __init__(self, code: KernelCode, watch: Collection[str], late: Collection[str]) -> None:
        self._late = frozenset(late)
        self._places = code.places_of([*watch, *late])

    def request(self) -> list[bytes]:
        """The end of a message that requests the run."""
        instructions = [
            bytes(wire.WatchedInstruction(kernel=kernel, is_late=int(line in self._late), address=address))
            for line, (_, places) in self._places.items()
            for kernel, address in places
        ]
        return [bytes(wire.WatchRequest(num_instructions=len(instructions))), b"".join(instructions)]

    def counts(self, reports: Iterable[WatchReport]) -> dict[str, WatchedLine]:
        """Executions of each line; one that is in two functions counts both."""
        executed: dict[tuple[int, int], list[LineCount]] = {}
        for each in reports:
            count = LineCount(each.kernel, (each.core_x, each.core_y), each.count)
            executed.setdefault((each.kernel, each.address), []).append(count)
        return {
            line: WatchedLine(path, bool(places), tuple(count for place in places for count in executed.get(place, [])))
            for line, (path, places) in self._places.items()
        }
