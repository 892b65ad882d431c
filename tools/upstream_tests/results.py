# SPDX-License-Identifier: Apache-2.0
"""Results of tests in a file of JSON lines: the newest line of a test in a dispatch mode and on a chip counts."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

OUTCOMES = ("passed", "failed", "skipped", "crashed", "time-limit")


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of one test."""

    test: str  # pytest's id, relative to the checkout
    dispatch: str
    arch: str  # or a system of several chips
    outcome: str  # one of OUTCOMES
    seconds: float
    reason: str = ""  # the error's last lines


class Results:
    """A file of results; it is written line by line, so that an interrupted run loses at most one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results: dict[tuple[str, str, str], Result] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                self._keep(Result(**json.loads(line)))
            except (ValueError, TypeError):  # the line that an interrupted run was writing
                continue

    def _keep(self, result: Result) -> None:
        self._results[result.test, result.dispatch, result.arch] = result

    def add(self, result: Result) -> None:
        """Keeps a result, in the file too."""
        self._keep(result)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(result)) + "\n")

    def all(self) -> list[Result]:
        """Every result, the newest of each test."""
        return list(self._results.values())

    def known(self, dispatch: str, arch: str, again: tuple[str, ...] = ()) -> list[str]:
        """Tests that need not run: those with a result whose outcome is not in ``again``."""
        return [
            each.test
            for each in self._results.values()
            if (each.dispatch, each.arch) == (dispatch, arch) and each.outcome not in again
        ]
