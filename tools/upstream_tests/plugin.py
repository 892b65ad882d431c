# SPDX-License-Identifier: Apache-2.0
"""Plugin of pytest in the process that runs the tests: leaves out known tests and writes events as JSON lines."""

from __future__ import annotations

import collections
import hashlib
import json
import os
from pathlib import Path
from typing import TypeVar

import pytest

_REASON_LINES = 12
Item = TypeVar("Item")


class _Events:
    """Events for the process that watches this one."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._seconds: collections.Counter[str] = collections.Counter()
        self._outcomes: dict[str, tuple[str, str]] = {}

    def write(self, **event: object) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.write(started=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += round(report.duration, 3)  # type: ignore[assignment]
        if report.outcome != "passed" and report.nodeid not in self._outcomes:
            self._outcomes[report.nodeid] = (report.outcome, _reason(report))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        outcome, reason = self._outcomes.pop(nodeid, ("passed", ""))
        self.write(finished=nodeid, outcome=outcome, seconds=self._seconds.pop(nodeid, 0), reason=reason)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(not_collected=report.nodeid, reason=_reason(report))

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        known = set(json.loads(Path(os.environ["TILEWRIGHT_UPSTREAM_KNOWN"]).read_text()))
        count = int(os.environ.get("TILEWRIGHT_UPSTREAM_PER_FUNCTION", "0"))
        share = float(os.environ.get("TILEWRIGHT_UPSTREAM_SHARE", "100"))
        chosen = [item for group in _by_function(items) for item in spread(group, count)]
        left = [item for item in chosen if item.nodeid not in known and is_drawn(item.nodeid, share)]
        items[:] = left


def _by_function(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return list(functions.values())


def spread(items: list[Item], count: int) -> list[Item]:
    """``count`` items spread evenly, the middle one if it is one; all if it is 0."""
    if count == 0 or count >= len(items):
        return items
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


def is_drawn(test: str, share: float) -> bool:
    """Whether a test is in the sample of ``share`` per cent; a larger sample has all tests of a smaller one.

    >>> [is_drawn("test_add.py::test_add", share) for share in (0.0, 100.0)]
    [False, True]
    """
    number = int.from_bytes(hashlib.sha256(test.encode()).digest()[:8], "big")
    return number * 100 < share * 2**64


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):  # skipped: file, line, words
        return str(report.longrepr[2])
    lines = [line.strip() for line in report.longreprtext.splitlines() if line.startswith("E ")]
    return "\n".join(lines[:_REASON_LINES] or report.longreprtext.splitlines()[-_REASON_LINES:])[:2000]


def pytest_configure(config: pytest.Config) -> None:
    """pytest's hook."""
    config.pluginmanager.register(_Events(os.environ["TILEWRIGHT_UPSTREAM_EVENTS"]))
