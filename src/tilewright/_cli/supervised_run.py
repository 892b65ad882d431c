# SPDX-License-Identifier: Apache-2.0
"""A command in a process of its own, with a verdict: pass, failure, hang, infrastructure.

The four exit codes are those of the script that tt-metal's own pipeline runs its tests with. A hang is known by the
launches that did not end, which the processes with the launches write into a directory, not by a clock.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilewright._launch.failure_files import CALL_SUFFIX, FAILURES_VARIABLE, LAUNCH_SUFFIX, TEST_SUFFIX

_PYTEST_SETUP = (3, 4, 5)  # pytest: an error of its own, bad usage, no tests collected
_STOPPED_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)


class Verdict(enum.IntEnum):
    """Result of a command; the value is the exit code."""

    PASS = 0
    FAILURE = 1
    HANG = 2
    INFRASTRUCTURE = 3


@dataclasses.dataclass(frozen=True)
class SupervisedRun:
    """A command that has ended.

    Attributes:
        status: its own exit status; negative: the signal that ended it.
        limit: seconds after which it was stopped; None where it ended by itself.
        launches: those that did not end well: operation, kind, type, message, findings.
        tests: failed tests of pytest, where it has tilewright's plugin: test, phase, message.
        calls: of an operation in a folder that raised, in the form of launches.
    """

    command: list[str]
    status: int
    limit: float | None
    launches: list[dict[str, Any]]
    tests: list[dict[str, Any]]
    calls: list[dict[str, Any]]

    @property
    def verdict(self) -> Verdict:
        if self.limit is not None:
            return Verdict.HANG
        if self.status == 0:
            return Verdict.PASS  # launches that failed were what the command wanted
        kinds = {each["kind"] for each in (*self.launches, *self.calls)}
        if "hang" in kinds:
            return Verdict.HANG
        is_setup = is_pytest(self.command) and self.status in _PYTEST_SETUP
        if "infrastructure" in kinds or is_setup or self.status in _STOPPED_FROM_OUTSIDE:
            return Verdict.INFRASTRUCTURE
        return Verdict.FAILURE

    @property
    def reason(self) -> str:
        """One line about what went wrong; empty where nothing did."""
        if self.verdict is Verdict.PASS:
            return ""
        if self.limit is not None:
            return f"stopped after {self.limit:g} seconds"
        found = [each for each in self.launches if each["kind"] == self.verdict.name.lower()]
        for each in [*found, *self.tests, *self.calls]:
            return str(each["message"]).strip().splitlines()[0]
        how = f"signal {-self.status}" if self.status < 0 else f"status {self.status}"
        return f"{' '.join(self.command)} ended with {how}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "arguments": self.command,
            "verdict": self.verdict.name.lower(),
            "reason": self.reason,
            "status_of_command": self.status,
            "launches": self.launches,
            "tests": self.tests,
            "calls": self.calls,
        }


def is_pytest(command: Sequence[str]) -> bool:
    """Whether a command is pytest, by its own name or as a module of Python.

    >>> is_pytest(["python3", "-m", "pytest", "tests"]), is_pytest(["python3", "pytest.py"])
    (True, False)
    """
    return Path(command[0]).name in ("pytest", "py.test") or list(command[1:3]) == ["-m", "pytest"]


def supervise(command: list[str], environment: dict[str, str], limit: float | None, quiet: bool) -> SupervisedRun:
    """Runs a command to its end.

    Args:
        limit: seconds after which it is stopped.
        quiet: what it prints goes to stderr.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-failures-") as directory:
        variables = {**environment, FAILURES_VARIABLE: directory}
        with subprocess.Popen(command, env=variables, stdout=sys.stderr if quiet else None) as process:
            try:
                status, stopped = process.wait(limit), None
            except subprocess.TimeoutExpired:
                process.kill()
                status, stopped = process.wait(), limit
            except KeyboardInterrupt:  # the command got it too; what it wrote is kept
                status, stopped = process.wait(), None
        launches, tests, calls = (_written(Path(directory), each) for each in (LAUNCH_SUFFIX, TEST_SUFFIX, CALL_SUFFIX))
    return SupervisedRun(command, status, stopped, launches, tests, calls)


def _written(directory: Path, suffix: str) -> list[dict[str, Any]]:
    """What files with this end say, in the order in which they were written."""
    return [json.loads(file.read_bytes()) for file in sorted(directory.glob(f"*{suffix}"))]
