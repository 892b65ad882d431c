# SPDX-License-Identifier: Apache-2.0
"""Subprocess with a time limit for code of an operation."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright._errors import TilewrightError
from tilewright._workshop.stages.events import read_events

_SOURCES = str(Path(__file__).parents[3])
_POLL_SECONDS = 0.05

Progress = Callable[[str, float], None]


class ProcessError(TilewrightError):
    """An operation's code cannot be run at all."""


@dataclasses.dataclass(frozen=True)
class ProcessRecord:
    """Result of a process.

    Attributes:
        events: what it reported.
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
        """Its last action."""
        begun = self.of("begin")
        return str(begun[-1]["what"]) if begun else ""


class Processes:
    """Processes of an operation, one for each thing to do; all of them begin with the same imports, made once.

    Example::

        with Processes(parent) as processes:
            record = processes.run(["check", "my_op"], time_limit=60)
    """

    def __init__(self, parent: Path) -> None:
        """
        Args:
            parent: the directory that holds the operation's package.
        """
        command = [sys.executable, "-m", "tilewright._workshop.stages.fork_server"]
        # Not buffered: whether there is an answer is asked of the pipe, which knows nothing of lines read ahead.
        self._nursery = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            env=_environment(parent), start_new_session=True,
        )  # fmt: skip
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._requests, self._answers = self._nursery.stdin, self._nursery.stdout

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._nursery.kill()
        self._nursery.communicate()

    def run(self, arguments: list[str], time_limit: float, progress: Progress | None = None) -> ProcessRecord:
        """Runs ``tilewright._workshop.stages.child`` and gives its record.

        Args:
            arguments: what to do, and with what; the file for events goes between.
            progress: called now and then with what is being done and for how many seconds.
        """
        with tempfile.TemporaryDirectory(prefix="tilewright-stage-") as work:
            events, output = Path(work) / "events.jsonl", Path(work) / "output.txt"
            output.touch()
            begin = time.monotonic()
            process = self._start([arguments[0], str(events), *arguments[1:]], output)
            try:
                is_late = self._wait(events, begin, time_limit, progress)
            finally:
                _end(process)
            returncode = self._answer()
            died_of = signal.Signals(-returncode).name if returncode < 0 and not is_late else ""
            text = output.read_text(encoding="utf-8", errors="replace")
            seconds = time.monotonic() - begin
            return ProcessRecord(read_events(events), text, is_late, died_of, returncode, seconds)

    def _start(self, arguments: list[str], output: Path) -> int:
        """Id of a new process."""
        self._requests.write(json.dumps({"arguments": arguments, "output": str(output)}).encode() + b"\n")
        return self._answer()

    def _answer(self) -> int:
        answer = self._answers.readline()
        if not answer:
            raise ProcessError(f"no process can be started: {sys.executable} ended with {self._nursery.wait()}")
        return int(answer)

    def _wait(self, events: Path, begin: float, time_limit: float, progress: Progress | None) -> bool:
        """Whether the time was up before the process ended."""
        record = 0.0
        while not select.select([self._answers], [], [], _POLL_SECONDS)[0]:
            passed = time.monotonic() - begin
            if passed > time_limit:
                return True
            if progress is not None and passed - record > 1:
                record = passed
                begun = [each for each in read_events(events) if each["event"] == "begin"]
                progress(str(begun[-1]["what"]) if begun else "starting", passed)
        return False


def _environment(parent: Path) -> dict[str, str]:
    paths = [str(parent), _SOURCES, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        # Python distinguishes compiled files by whole seconds: two changes in one second would look alike.
        "PYTHONDONTWRITEBYTECODE": "1",
        # Plugins that happen to be installed would take longer to import than most stages to run.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _end(process: int) -> None:
    """Ends the process and everything it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)
