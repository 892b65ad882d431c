# SPDX-License-Identifier: Apache-2.0
"""The breadcrumbs file: what it takes, what it refuses, and what a crash leaves of it."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._logs.computing import compute_log
from tilewright._logs.events import EVENTS, BreadcrumbError


@pytest.fixture
def trail(tmp_path: Path) -> Breadcrumbs:
    ticks = iter(range(1000))
    return Breadcrumbs(tmp_path / "logs" / "scale.jsonl", clock=lambda: f"2026-01-21T00:00:{next(ticks):02}+00:00")


def test_an_event_is_one_line_of_json(trail: Breadcrumbs) -> None:
    trail.append("start", operation="scale", agent="me", stages=[4], predecessor=None)
    trail.append("note", text="two\nlines, äöü")
    lines = trail.path.read_text().splitlines()
    start = {"event": "start", "operation": "scale", "agent": "me", "stages": [4]}
    assert json.loads(lines[0]) == {"ts": "2026-01-21T00:00:00+00:00", **start}
    assert json.loads(lines[1])["text"] == "two\nlines, äöü"
    assert len(lines) == 2


def test_appended_events_are_read_back(trail: Breadcrumbs) -> None:
    appended = [trail.append("note", text=str(number)) for number in range(5)]
    read = trail.read()
    assert list(read.entries) == appended
    assert [entry.line for entry in read.entries] == [1, 2, 3, 4, 5]
    assert read.problems == ()
    nothing = Breadcrumbs(trail.path.with_name("none.jsonl"))
    assert nothing.read().entries == ()
    assert not nothing.path.exists()


@pytest.mark.parametrize(
    ("event", "fields", "complaint"),
    [
        ("tset", {}, "'tset' does not exist; there are artifact"),
        ("note", {}, "needs text"),
        ("note", {"text": 3}, "text is 3; it must be text"),
        ("note", {"txet": "x"}, "no field 'txet'; it has text, stage"),
        ("complete", {"x": 1}, "no field 'x'; it has none"),
        ("test", {"stage": 4, "name": "t", "result": "OK"}, "result is 'OK'; it must be one of PASS"),
        ("test", {"stage": True, "name": "t", "result": "PASS"}, "stage is True; it must be a whole number"),
        ("result", {"stage": 6, "step": "jit", "status": "PASS"}, "step is 'jit'; it must be one of build"),
        (
            "result",
            {"stage": 6, "step": "build", "status": "FAIL", "error_type": "compile_error"},
            "error_type is 'compile_error'; it must be one of build_error",
        ),
        ("start", {"operation": "o", "agent": "a", "stages": ["4"]}, "it must be a list of whole numbers"),
        ("hypothesis", {"stage": 4, "description": "d", "id": "H9"}, "id is given by the store, not 'H9'"),
        ("evidence", {"hypothesis_id": "H1", "text": "t"}, "there is no hypothesis yet"),
        ("recovery", {"action": "t"}, "needs hypothesis_id"),
    ],
)
def test_events_outside_the_schema_are_refused(
    trail: Breadcrumbs, event: str, fields: dict[str, object], complaint: str
) -> None:
    with pytest.raises(BreadcrumbError, match=re.escape(complaint)):
        trail.append(event, **fields)
    assert trail.read().entries == ()


def test_hypotheses_are_numbered_without_gaps(trail: Breadcrumbs) -> None:
    for expected in ("H1", "H2", "H3"):
        assert trail.append("hypothesis", stage=6, description="d").fields["id"] == expected
    trail.append("evidence", hypothesis_id="H3", text="seen")
    with pytest.raises(BreadcrumbError, match="'H4'; there is H1, H2, H3"):
        trail.append("recovery", hypothesis_id="H4", action="a")


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_torn_last_line_is_reported_and_the_next_event_stands_behind_it(trail: Breadcrumbs, cut: int) -> None:
    trail.append("note", text="first")
    trail.append("note", text="torn by a crash")
    trail.path.write_bytes(trail.path.read_bytes()[: -cut - 1])
    trail.append("note", text="after")
    read = trail.read()
    assert [entry.text("text") for entry in read.entries] == ["first", "after"]
    assert [(problem.line, problem.text[:9]) for problem in read.problems] == [(2, "torn line")]


def test_a_line_that_only_lacks_its_end_is_whole(trail: Breadcrumbs) -> None:
    trail.append("note", text="first")
    trail.path.write_bytes(trail.path.read_bytes()[:-1])
    trail.append("note", text="second")
    assert [entry.text("text") for entry in trail.read().entries] == ["first", "second"]


def test_foreign_lines_are_reported(trail: Breadcrumbs) -> None:
    trail.append("note", text="ours")
    with trail.path.open("a") as file:
        file.write('[1]\n{"event": "cb_wrapper_check"}\n{"event": "note"}\n{"event": "note", "text": "no time"}\n')
    read = trail.read()
    assert [problem.line for problem in read.problems] == [2, 3, 4]
    assert [entry.text("text") for entry in read.entries] == ["ours", "no time"]


def test_a_write_that_fails_leaves_nothing_half_written(trail: Breadcrumbs, monkeypatch: pytest.MonkeyPatch) -> None:
    trail.append("note", text="first")
    before = trail.path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    with pytest.raises(OSError, match="only 7 of"):
        trail.append("note", text="second")
    assert trail.path.read_bytes() == before

    def no_space(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        trail.append("note", text="third")
    assert trail.path.read_bytes() == before


def test_processes_may_append_at_once(tmp_path: Path) -> None:
    path = tmp_path / "shared.jsonl"
    script = (
        "import sys\nfrom tilewright._logs.breadcrumbs import Breadcrumbs\n"
        "for _ in range(25): Breadcrumbs(sys.argv[1]).append('hypothesis', stage=6, description='x' * 3000)\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", script, str(path)]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    read = Breadcrumbs(path).read()
    assert read.problems == ()
    assert [entry.text("id") for entry in read.entries] == [f"H{number}" for number in range(1, 76)]


def test_a_crash_is_recorded_and_goes_on(trail: Breadcrumbs) -> None:
    trail.append("start", operation="scale", agent="me", stages=[4])
    trail.append("test", stage=4, name="t", result="PASS")
    with pytest.raises(ZeroDivisionError), trail.recording_crashes():
        _ = 1 / 0
    crash = trail.read().entries[-1]
    assert crash.text("error") == "ZeroDivisionError: division by zero"
    assert "recording_crashes" in crash.text("traceback")
    log = compute_log(trail.read())
    assert log.metadata["status"].text == "PARTIAL (the run crashed)"


def test_every_event_has_a_description_in_the_document() -> None:
    text = (Path(__file__).parents[2] / "docs" / "workshop-logs.md").read_text()
    assert [event for event in EVENTS if f"| `{event}` |" not in text] == []
