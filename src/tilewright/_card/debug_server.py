# SPDX-License-Identifier: Apache-2.0
"""The card's server with kernels that stop: what ``tilewright debug`` starts for the real ttnn.

It stands in the terminal of the script that it serves, and the script waits while somebody looks. Where to stop, and
what to do there, is in the variable TILEWRIGHT_DEBUG, in JSON.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import sys
from pathlib import Path
from typing import TextIO

from tilewright._card.server import Call, serve
from tilewright._debug.breakpoints import EVERY_KERNEL, Breakpoint, NoSuchLineError
from tilewright._debug.prompt import Prompt
from tilewright._debug.stop import Go, Stop, StopHandler
from tilewright._debug.stop_json import stop_json
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run

REQUEST_VARIABLE = "TILEWRIGHT_DEBUG"


@dataclasses.dataclass(frozen=True)
class DebugRequest:
    """What ``tilewright debug`` wants of the card of a script.

    Attributes:
        places: where to stop.
        commands: of the prompt; None: somebody is asked.
        notes: a file for what the stops show, instead of a prompt, one JSON object a line; empty: none.
        stops: that are noted.
        steps: after a stop that is noted, go on to the next call only.
        reached: a file that is there when there was a stop.
        missing: a file for what is wrong with places that no launch had, a line each.
    """

    places: tuple[str, ...]
    commands: tuple[str, ...] | None
    notes: str
    stops: int
    steps: bool
    reached: str
    missing: str

    def text(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def parse(text: str) -> DebugRequest:
        return DebugRequest(**json.loads(text))


class _Debugger:
    """Launches that stop where they were asked to."""

    def __init__(self, request: DebugRequest) -> None:
        self._request = request
        self._places = [Breakpoint.parse(each) for each in request.places]
        commands = request.commands
        given: TextIO | None = None if commands is None else io.StringIO("".join(f"{each}\n" for each in commands))
        self._look: StopHandler = self._note if request.notes else Prompt(stdin=given)
        self._noted = 0
        self._missing: dict[Breakpoint, str] = dict.fromkeys(self._places, "")

    def launch(self, chip: Chip, program: ProgramDescriptor, options: RunOptions, call: Call) -> Run:
        """Runs a program; places it does not have are another one's."""
        places = list(self._places)
        while places:
            try:
                run = chip.launch(program, dataclasses.replace(options, break_at=places, on_stop=self._stopped))
            except NoSuchLineError as error:
                places.remove(error.breakpoint)
                if error.breakpoint in self._missing:
                    self._missing[error.breakpoint] = str(error)
                continue
            for each in places:
                self._missing.pop(each, None)
            return run
        return chip.launch(program, options)

    def note_missing(self) -> None:
        """When the host has gone."""
        said = [text for text in self._missing.values() if text]
        if said:
            Path(self._request.missing).write_text("\n".join(said), encoding="utf-8")

    def _stopped(self, stop: Stop) -> Go | None:
        Path(self._request.reached).touch()
        stop.breakpoints = [each for each in stop.breakpoints if each.where != EVERY_KERNEL]  # once in each launch
        go = self._look(stop)
        kept = [each for each in self._places if each in stop.breakpoints or each.where == EVERY_KERNEL]
        self._places = kept if stop.breakpoints else []
        return go

    def _note(self, stop: Stop) -> Go:
        self._noted += 1
        with Path(self._request.notes).open("a", encoding="utf-8") as file:
            file.write(json.dumps(stop_json(stop), default=str) + "\n")
        if self._noted >= self._request.stops:
            stop.breakpoints = []
            return Go.ON
        return Go.TO_NEXT_CALL if self._request.steps else Go.ON


def main() -> int:
    debugger = _Debugger(DebugRequest.parse(os.environ[REQUEST_VARIABLE]))
    status = serve(sys.argv[1:], debugger.launch)
    debugger.note_missing()
    return status


if __name__ == "__main__":
    sys.exit(main())
