# SPDX-License-Identifier: Apache-2.0
"""The observer that stops kernels at lines of their sources: for ``tilewright debug`` and ``debugged_launches``."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import io
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from tilewright._debug.breakpoints import EVERY_KERNEL, Breakpoint, NoSuchLineError, breakpoints
from tilewright._debug.prompt import DebuggingEndedError, Prompt, prompt
from tilewright._debug.stop import Go, Stop, StopHandler
from tilewright._debug.stop_json import stop_json
from tilewright._launch.observer import Launch, Observer, observed_launches
from tilewright._record.run import Run


class DebugEventKind(enum.Enum):
    STOPPED = "a kernel stopped"
    ENDED = "the run was ended at a stop"
    MISSING = "no launch has a place to stop at"


@dataclasses.dataclass(frozen=True)
class DebugEvent:
    """Something that happened while launches were debugged.

    Attributes:
        text: of the end of a run, or of a missing place.
        stop: what a stop shows, where that is noted for a program to read.
    """

    kind: DebugEventKind
    text: str = ""
    stop: dict[str, Any] | None = None


class DebugObserver(Observer[DebugEvent]):
    """Launches that stop at places.

    Args:
        places: where to stop. A place that is deleted at a stop, or added, is so for later launches, too.
        look: looks at each stop.
        notes_stops: events hold what the stops show.
        once_in_each_launch: of the begins of all kernels (``*``), stop at the first of a launch only.
    """

    def __init__(
        self,
        places: Sequence[Breakpoint],
        look: StopHandler,
        *,
        notes_stops: bool = False,
        once_in_each_launch: bool = False,
    ) -> None:
        super().__init__()
        self._places = list(places)
        self._look = look
        self._notes_stops = notes_stops
        self._once_in_each_launch = once_in_each_launch
        self._refusals: dict[Breakpoint, NoSuchLineError | None] = dict.fromkeys(places)

    @property
    def missing(self) -> list[NoSuchLineError]:
        """Errors of the breakpoints that no launch had."""
        return [error for error in self._refusals.values() if error is not None]

    def observe(self, launch: Launch) -> Run:
        """Run a launch with the places that it has; others are those of another launch."""
        places = list(self._places)
        while places:
            try:
                run = launch.run(dataclasses.replace(launch.options, break_at=places, on_stop=self._stopped))
            except NoSuchLineError as error:
                places.remove(error.breakpoint)
                if error.breakpoint in self._refusals:
                    self._refusals[error.breakpoint] = error
                continue
            for each in places:
                self._refusals.pop(each, None)
            return run
        return launch.run()

    def end(self) -> None:
        for error in self.missing:
            self.take(DebugEvent(DebugEventKind.MISSING, str(error)))

    def _stopped(self, stop: Stop) -> Go | None:
        self.take(DebugEvent(DebugEventKind.STOPPED, stop=stop_json(stop) if self._notes_stops else None))
        before = list(stop.breakpoints)
        if self._once_in_each_launch:
            stop.breakpoints = [each for each in stop.breakpoints if each.where != EVERY_KERNEL]
        shown = list(stop.breakpoints)
        try:
            go = self._look(stop)
        except DebuggingEndedError as end:  # a script's own handlers may hide it
            self.take(DebugEvent(DebugEventKind.ENDED, str(end)))
            raise
        self._keep_changes(before, shown, stop.breakpoints)
        return go

    def _keep_changes(self, before: list[Breakpoint], shown: list[Breakpoint], now: list[Breakpoint]) -> None:
        """Later launches stop where this one does from here on; deleting all places ends all stops."""
        if shown and not now:
            self._places = []
            return
        deleted = [each for each in shown if each not in now]
        added = [each for each in now if each not in before and each not in self._places]
        self._places = [*(each for each in self._places if each not in deleted), *added]


def debug_observer(
    places: Sequence[str],
    commands: Sequence[str] | None = None,
    stops: int = 0,
    steps: bool = False,
    once_in_each_launch: bool = False,
) -> DebugObserver:
    """The observer of ``tilewright debug``.

    Args:
        commands: of the prompt; None: the prompt reads standard input.
        stops: so many stops are noted instead of a prompt.
        steps: after a stop that is noted, go on to the next call only.
    """
    look: StopHandler
    if stops:
        look = _NoteStops(stops, steps)
    else:
        look = Prompt(stdin=None if commands is None else io.StringIO("".join(f"{each}\n" for each in commands)))
    return DebugObserver(
        [Breakpoint.parse(each) for each in places],
        look,
        notes_stops=bool(stops),
        once_in_each_launch=once_in_each_launch,
    )


class _NoteStops:
    """Goes on from the first stops, and deletes all breakpoints at the last of them."""

    def __init__(self, most: int, steps: bool) -> None:
        self._left = most
        self._steps = steps

    def __call__(self, stop: Stop) -> Go:
        self._left -= 1
        if self._left <= 0:
            stop.breakpoints = []
            return Go.ON
        return Go.TO_NEXT_CALL if self._steps else Go.ON


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
    observer = DebugObserver(breakpoints(break_at), on_stop or prompt)
    with observed_launches(observer):
        yield
    for error in observer.missing:
        raise error
