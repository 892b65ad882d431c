# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of files, a few files a process, and goes on after a test that crashes or does not end."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.upstream_tests.results import Result, Results

ROOT = Path(__file__).resolve().parents[2]
CHIPS = ("wormhole_b0", "blackhole")
_STARTING = 120.0  # seconds in which a process has begun its first test
_LOOKED_AT_EVERY = 0.2
_OF_THE_PACKAGE = ("ttnn", "tt_metal", "build", "generated")
# A test whose fixture failed has left its fabric configured: every later one with another fails in that process.
_SPOILED = "Tried to override previous value of fabric config"
_USUAL_ENDS = (0, 1, 5)  # exit codes of pytest: all passed, some failed, no tests


@dataclasses.dataclass(frozen=True)
class Settings:
    """How the tests are run."""

    python: str
    checkout: Path
    dispatch: str
    machine: str  # a chip, or a system of several
    per_function: int | None
    share: float  # of the tests, drawn by their ids; 100 is all
    files_of_a_process: int
    again: tuple[str, ...]
    time_limit: int  # seconds of a test
    memory: int  # bytes of a process
    seconds: int | None  # of the whole run


def run_files(files: Sequence[Path], settings: Settings, results: Results) -> bool:
    """Runs what is left of the files; False if the time was over before."""
    end = None if settings.seconds is None else time.monotonic() + settings.seconds
    known = set(results.known(settings.dispatch, settings.machine, settings.again))
    for first in range(0, len(files), settings.files_of_a_process):
        chosen = files[first : first + settings.files_of_a_process]
        print(f"[{first + len(chosen)}/{len(files)}] {chosen[-1]}", file=sys.stderr, flush=True)
        while True:
            if end is not None and time.monotonic() > end:
                return False
            process = _Process(chosen, settings, known, results, end)
            process.run()
            known |= process.done
            if not process.interrupted:
                break
    return end is None or time.monotonic() < end


class _Process:
    """One process of pytest, watched by the events it writes."""

    def __init__(
        self, files: Sequence[Path], settings: Settings, known: set[str], results: Results, end: float | None
    ) -> None:
        self._files = files
        self._settings = settings
        self._known = known
        self._results = results
        self._end = end
        self._running = ""
        self._since = time.monotonic()
        self.done: set[str] = set()
        self._is_spoiled = False
        self.interrupted = False  # by a test that crashed, did not end or spoiled the process: the file has more

    def run(self) -> None:
        with tempfile.TemporaryDirectory() as work:
            events, known, output = (Path(work) / name for name in ("events", "known", "output"))
            tree = Path(work) / "tree"
            _link_checkout(self._settings.checkout, tree)
            events.touch()
            known.write_text(json.dumps(sorted(self._known)))
            with output.open("wb") as out:
                process = subprocess.Popen(
                    self._command(),
                    cwd=tree,
                    env=self._environment(events, known),
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=self._limit_memory,
                )
                try:
                    self._watch(process, events)
                finally:
                    _end(process)
            self._explain_end(process, output)

    def _command(self) -> list[str]:
        settings = self._settings
        pytest = [settings.python, "-m", "pytest", *map(str, self._files), "-p", "tools.upstream_tests.plugin", "-q"]
        pytest += ["-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
        pytest += ["--continue-on-collection-errors"]
        option = "--arch" if settings.machine in CHIPS else "--system"
        ours = [settings.python, "-m", "tilewright", "exec", "--quiet", option, settings.machine]
        return [*ours, "--dispatch", settings.dispatch, "--", *pytest]

    def _environment(self, events: Path, known: Path) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TT_", "PYTEST_"))}
        ours = os.pathsep.join(map(str, (ROOT / "src", ROOT)))
        return environment | {
            "PYTHONPATH": ours,
            "PYTHONDONTWRITEBYTECODE": "1",
            "LOGURU_LEVEL": "ERROR",
            "TILEWRIGHT_UPSTREAM_EVENTS": str(events),
            "TILEWRIGHT_UPSTREAM_KNOWN": str(known),
            "TILEWRIGHT_UPSTREAM_PER_FUNCTION": str(self._settings.per_function or 0),
            "TILEWRIGHT_UPSTREAM_SHARE": str(self._settings.share),
        }

    def _limit_memory(self) -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (self._settings.memory, self._settings.memory))

    def _watch(self, process: subprocess.Popen[bytes], events: Path) -> None:
        with events.open(encoding="utf-8") as lines:
            while True:
                ended = process.poll() is not None  # asked before the events are read: none is missed
                for line in lines:
                    self._take(json.loads(line))
                if self._is_over() or ended:
                    return
                time.sleep(_LOOKED_AT_EVERY)

    def _take(self, event: dict[str, Any]) -> None:
        self._since = time.monotonic()
        if self._is_spoiled:
            return
        if "finished" in event and self.done and _SPOILED in event["reason"]:
            self._is_spoiled = True  # the test runs again in a process of its own
        elif "started" in event:
            self._running = event["started"]
        elif "finished" in event:
            self._running = ""
            self._keep(event["finished"], event["outcome"], event["seconds"], event["reason"])
        elif "not_collected" in event:
            self._keep(event["not_collected"], "failed", 0, event["reason"])

    def _is_over(self) -> bool:
        """Whether to end the process now; what runs beyond its limit has its result by then."""
        if self._is_spoiled:
            self._running = ""
            self.interrupted = True
            return True
        elapsed = time.monotonic() - self._since
        if elapsed > (self._settings.time_limit if self._running else _STARTING + self._settings.time_limit):
            self._keep(self._running or str(self._files[0]), "time-limit", elapsed, "")
            self.interrupted = bool(self._running)
            self._running = ""
            return True
        return self._end is not None and time.monotonic() > self._end

    def _explain_end(self, process: subprocess.Popen[bytes], output: Path) -> None:
        """A test that was running when the process ended by itself has crashed it."""
        stopped = self._end is not None and time.monotonic() > self._end
        without_result = not self.done and process.returncode not in _USUAL_ENDS
        if not stopped and (self._running or without_result):
            last = output.read_bytes()[-1500:].decode(errors="replace")
            reason = f"exit {process.returncode}\n{last}"
            self._keep(self._running or str(self._files[0]), "crashed", time.monotonic() - self._since, reason)
            self.interrupted = bool(self._running)

    def _keep(self, test: str, outcome: str, seconds: float, reason: str) -> None:
        self.done.add(test)
        settings = self._settings
        self._results.add(Result(test, settings.dispatch, settings.machine, outcome, round(seconds, 2), reason))


def _link_checkout(checkout: Path, tree: Path) -> None:
    """A folder with links to what the checkout has but ``ttnn`` and ``tt_metal``.

    tt-metal takes kernels from the working directory first, and those of the checkout may be of another release.
    """
    tree.mkdir()
    for entry in checkout.iterdir():
        if entry.name not in _OF_THE_PACKAGE and not entry.name.startswith("."):
            (tree / entry.name).symlink_to(entry)


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
            return
