# SPDX-License-Identifier: Apache-2.0
"""Pytest plugin that reports each test as it happens."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

import pytest

from tilewright._workshop.stages.classify import classify
from tilewright._workshop.stages.events import Events
from tilewright._workshop.stages.stage import Status


class EventsPlugin:
    """Tells one event when a test begins and one when it ends."""

    def __init__(self, events: Events, stage: int) -> None:
        self._events = events
        self._stage = stage

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._events.tell("begin", what=_name(nodeid))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            lines = [line[2:] for line in str(report.longrepr).splitlines() if line.startswith("E ")]
            text = "; ".join(line.strip() for line in lines[-2:]) or str(report.longrepr)
            name = _name(report.nodeid)
            self._events.tell("test", name=name, result="FAIL", error_type="build_error", error=text)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report: pytest.TestReport = yield
        if report.failed and call.excinfo is not None:
            self._tell_failure(item, call.excinfo)
        elif report.skipped:
            self._events.tell("test", name=_name(item.nodeid), result=Status.NOT_RUN.value, error=_reason(report))
        elif report.passed and report.when == "call":
            share = dict(item.user_properties).get("share_of_tolerance", 0.0)
            self._events.tell(
                "test", name=_name(item.nodeid), result=Status.PASS.value, case=_case(item), share_of_tolerance=share
            )
        return report

    def _tell_failure(self, item: pytest.Item, failure: pytest.ExceptionInfo[BaseException]) -> None:
        error = failure.value
        status, error_type = classify(error, self._stage, str(failure.traceback[-1].statement))
        text = _without_assertion(str(error).strip()) or type(error).__name__
        if not isinstance(error, AssertionError) and not type(error).__module__.startswith("tilewright"):
            text = f"{type(error).__name__}: {text}"
        name = _name(item.nodeid)
        self._events.tell("test", name=name, result=status.value, error_type=error_type, error=text, case=_case(item))


def _without_assertion(text: str) -> str:
    """Message of a failed test; pytest's account of the assertion if it has none."""
    message, _, _ = text.partition("\nassert ")
    return message


def _name(nodeid: str) -> str:
    return nodeid.rpartition("/")[2].partition("::")[2] or nodeid.rpartition("/")[2]


def _case(item: pytest.Item) -> str:
    """Name of the test case, for a test that has one."""
    case = getattr(getattr(item, "callspec", None), "params", {}).get("case")
    return str(getattr(case, "name", ""))


def _reason(report: pytest.TestReport) -> str:
    return re.sub(r"^Skipped: ", "", str(report.longrepr[2])) if isinstance(report.longrepr, tuple) else ""
