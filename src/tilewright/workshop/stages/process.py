# SPDX-License-Identifier: Apache-2.0
"""A process of its own for everything that runs an operation's code: it is ended when its time is up."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright.workshop.stages.events import read_events

_SOURCES = str(Path(__file__).parents[3])
_POLL_SECONDS = 0.05


@dataclasses.dataclass(frozen=True)
class Told:
    """What a process left.

    Attributes:
        events: what it told.
        output: what it printed.
        is_late: whether it was ended because its time was up.
        signal: name of the signal it died of; empty if of none.
    """

    events: list[dict[str, Any]]
    output: str
    is_late: bool
    signal: str
    returncode: int
    seconds: float

    def of(self, event: str) -> list[dict[str, Any]]:
        return [each for each in self.events if each["event"] == event]

    @property
    def ended(self) -> bool:
        """Whether it came to its end by itself."""
        return bool(self.of("end"))

    @property
    def last_begun(self) -> str:
        """What it was doing last."""
        begun = self.of("begin")
        return str(begun[-1]["what"]) if begun else ""


def run_child(
    arguments: list[str], parent: Path, time_limit: float, progress: Callable[[str, float], None] | None = None
) -> Told:
    """Runs ``tilewright.workshop.stages.child`` with a package directory on its path.

    Args:
        arguments: what to do, and with what; the file for events goes between.
        progress: called now and then with what is being done and for how many seconds.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-stage-") as work:
        events, output = Path(work) / "events.jsonl", Path(work) / "output.txt"
        command = [sys.executable, "-m", "tilewright.workshop.stages.child", arguments[0], str(events), *arguments[1:]]
        begin = time.monotonic()
        with output.open("wb") as file:
            # A session of its own: whatever it starts is ended with it.
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=_environment(parent),
                start_new_session=True,
            )  # fmt: skip
            try:
                is_late = _wait(process, events, begin, time_limit, progress)
            finally:
                _end(process)
        seconds = time.monotonic() - begin
        died_of = signal.Signals(-process.returncode).name if process.returncode < 0 and not is_late else ""
        text = output.read_text(encoding="utf-8", errors="replace")
        return Told(read_events(events), text, is_late, died_of, process.returncode, seconds)


def _environment(parent: Path) -> dict[str, str]:
    paths = [str(parent), _SOURCES, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    # Compiled files are told apart by whole seconds: two changes in one second would look alike.
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONDONTWRITEBYTECODE": "1"}


def _wait(
    process: subprocess.Popen[bytes],
    events: Path,
    begin: float,
    time_limit: float,
    progress: Callable[[str, float], None] | None,
) -> bool:
    """Whether the time was up before the process ended."""
    told = 0.0
    while process.poll() is None:
        passed = time.monotonic() - begin
        if passed > time_limit:
            return True
        if progress is not None and passed - told > 1:
            told = passed
            begun = [each for each in read_events(events) if each["event"] == "begin"]
            progress(str(begun[-1]["what"]) if begun else "starting", passed)
        time.sleep(_POLL_SECONDS)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and everything it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
