# SPDX-License-Identifier: Apache-2.0
"""The log computed from breadcrumbs: it follows from what ran, and the audit finds nothing in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.logs.random_runs import RandomRun
from tilewright._logs.audit.auditing import audit_log, audit_text
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._logs.computing import compute_log
from tilewright._logs.events import Entry, Said
from tilewright._logs.execution_log import ExecutionLog
from tilewright._logs.reading import parse_log
from tilewright._logs.rendering import render_log


@pytest.fixture
def trail(tmp_path: Path) -> Breadcrumbs:
    return Breadcrumbs(tmp_path / "run.jsonl", clock=lambda: "2026-01-21T12:00:00+00:00")


@pytest.mark.parametrize("seed", range(200))
def test_computed_log_has_no_findings(seed: int, trail: Breadcrumbs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no waiting for the disk
    RandomRun(seed, trail).write()
    log = compute_log(trail.read())
    text = render_log(log)
    assert parse_log(text) == log
    assert audit_text(text) == []
    assert audit_log(log) == []


def test_audit_of_a_computed_log_names_breadcrumb_lines(trail: Breadcrumbs) -> None:
    _start(trail, 4)
    trail.append("attempt", stage=4, action="run")
    trail.append("test", stage=4, name="shape", result="PASS")
    trail.append("test", stage=4, name="wide", result="SKIPPED")
    trail.append("cb_requirement", index="c_0", num_pages="2")
    trail.append("cb_config", index="c_0", num_pages="2", page_size="tile_size", source="spec.toml:9")
    trail.append("note", text="all tests pass, pushes and pops verified: every push has its pop")
    trail.append("complete")
    log = compute_log(trail.read())
    found = audit_log(log, (Entry("cb_requirement", {"index": "c_0", "num_pages": "4"}),), trail.lines())
    assert {finding.rule: finding.lines for finding in found} == {
        "all-pass-with-skips": (4, 7),
        "deviation-undeclared": (6,),
    }
    assert all(finding.quote in trail.lines() for finding in found)
    # The same from the Markdown it is rendered to, where every fact stands on another line.
    rendered = audit_text(render_log(log), (Entry("cb_requirement", {"index": "c_0", "num_pages": "4"}),))
    assert {finding.rule for finding in rendered} == {finding.rule for finding in found}


def _column(log: ExecutionLog, event: str, *names: str) -> list[tuple[str, ...]]:
    return [tuple(row.text(name) for name in names) for row in log.of(event)]


def _status(log: ExecutionLog, stage: int) -> Said | None:
    record = log.stage(stage)
    assert record is not None
    return record.status


def _start(trail: Breadcrumbs, *stages: int) -> None:
    trail.append("start", operation="scale", agent="me", stages=list(stages))


def test_a_stage_without_a_passing_test_has_not_passed(trail: Breadcrumbs) -> None:
    _start(trail, 4, 5, 6, 7)
    for step in ("build", "kernel compilation", "execution"):
        trail.append("result", stage=4, step=step, status="PASS")
    trail.append("test", stage=5, name="shape", result="SKIPPED")
    trail.append("test", stage=6, name="no_hang", result="PASS")
    trail.append("complete")
    log = compute_log(trail.read())
    assert [_status(log, stage) for stage in (4, 5, 6, 7)] == [
        Said("NEEDS_VERIFICATION"),
        Said("NEEDS_VERIFICATION"),
        Said("PASS"),
        Said("NOT RUN"),
    ]
    assert log.metadata["status"] == Said("PARTIAL")


def test_a_failure_that_is_not_run_again_stays(trail: Breadcrumbs) -> None:
    _start(trail, 7)
    trail.append("attempt", stage=7, action="first")
    trail.append("test", stage=7, name="wide", result="FAIL")
    trail.append("attempt", stage=7, action="second")
    trail.append("test", stage=7, name="narrow", result="PASS")
    trail.append("complete")
    log = compute_log(trail.read())
    assert _status(log, 7) == Said("FAIL")
    assert log.metadata["status"] == Said("FAILED")
    assert _column(log, "test", "name", "result", "notes") == [
        ("wide", "FAIL", "attempt 1"),
        ("narrow", "PASS", "attempt 2"),
    ]


def test_attempts_that_repeat_a_pass_are_one(trail: Breadcrumbs) -> None:
    _start(trail, 7)
    for result in ("FAIL", "PASS", "PASS", "PASS"):
        trail.append("attempt", stage=7, action="run the tests")
        trail.append("test", stage=7, name="wide", result=result)
    trail.append("complete")
    log = compute_log(trail.read())
    assert [each.text("number") for _, each in log.attempts] == ["1", "2-4"]
    assert (log.metadata["attempts"], log.metadata["status"]) == (Said("4"), Said("SUCCESS"))
    text = render_log(log)
    assert "#### Attempts 2-4" in text
    assert parse_log(text) == log
    assert audit_text(text) == []


def test_success_needs_every_stage_and_an_end(trail: Breadcrumbs) -> None:
    _start(trail, 4)
    trail.append("test", stage=4, name="t", result="PASS")
    assert compute_log(trail.read()).metadata["status"] == Said("PARTIAL (the run has not ended)")
    trail.append("complete")
    assert compute_log(trail.read()).metadata["status"] == Said("SUCCESS")


def test_a_recovery_counts_when_the_step_that_failed_passes(trail: Breadcrumbs) -> None:
    _start(trail, 6)
    trail.append("attempt", stage=6, action="stubs")
    trail.append("result", stage=6, step="kernel compilation", status="FAIL", error_summary="no such name")
    trail.append("hypothesis", stage=6, description="the init call needs the buffer")
    trail.append("evidence", hypothesis_id="H1", text="the header")
    trail.append("recovery", hypothesis_id="H1", action="gave it")
    assert _column(compute_log(trail.read()), "failure", "resolved") == [("NO",)]
    trail.append("attempt", stage=6, action="stubs again")
    trail.append("result", stage=6, step="kernel compilation", status="PASS")
    trail.append("result", stage=6, step="execution", status="HANG")
    log = compute_log(trail.read())
    assert _column(log, "failure", "error_type", "resolved") == [("compilation_error", "YES"), ("hang", "NO")]
    assert _column(log, "failure", "cause", "action")[0] == ("H1: the init call needs the buffer", "H1: gave it")


def test_a_red_test_that_passes_is_declared(trail: Breadcrumbs) -> None:
    _start(trail, 4)
    trail.append("attempt", stage=4, action="test", phase="RED")
    trail.append("test", stage=4, name="t", result="PASS")
    log = compute_log(trail.read())
    assert [row.text("what") for row in log.of("deviation")] == ["stage 4: RED attempt 1 ended PASS, not FAIL"]
    assert _status(log, 4) == Said("NOT RUN")


def test_deviations_from_the_specification_are_computed(trail: Breadcrumbs) -> None:
    for index, pages in (("c_0", "2*Wt"), ("c_1", "Wt"), ("c_2", "1")):
        trail.append("cb_requirement", index=index, num_pages=pages, page_size="tile_size")
    trail.append("cb_config", index="c_0", num_pages="Wt * 2", page_size="tile_size")
    trail.append("cb_config", index="c_2", num_pages="2", page_size="stick_size")
    trail.append("cb_config", index="c_9", num_pages="1", page_size="tile_size")
    trail.append("cb_sync_check", index="c_2", push="1 once", pop="0", kept=True)
    trail.append("cb_sync_check", index="c_9", push="2 per row", pop="1 per row")
    log = compute_log(trail.read())
    assert log.of("denial") == ()
    assert [row.text("what") for row in log.of("deviation")] == [
        "c_1 is required and not configured",
        "c_2 has 2 pages instead of 1 and pages of stick_size instead of tile_size",
        "c_9 is configured and not required",
        "c_9 is not balanced: pushed 2 per row, popped 1 per row",
    ]
    assert _column(log, "cb_sync_check", "index", "balanced") == [
        ("c_0", "NOT RUN"),
        ("c_2", "KEPT"),
        ("c_9", "NO"),
    ]


def test_no_deviations_is_written_only_after_a_comparison(trail: Breadcrumbs) -> None:
    trail.append("cb_config", index="c_0", num_pages="2", page_size="tile_size")
    assert compute_log(trail.read()).of("denial") == ()
    trail.append("cb_requirement", index="c_0", num_pages="2")
    log = compute_log(trail.read())
    assert _column(log, "denial", "text") == [("None: all 1 CBs have the pages the specification asks for.",)]
    assert log.of("deviation") == ()


def test_commit_has_the_status_of_the_stages(trail: Breadcrumbs) -> None:
    _start(trail, 4, 5)
    trail.append("result", stage=4, step="build", status="PASS")
    trail.append("test", stage=4, name="t", result="PASS")
    trail.append("commit", sha="9f283b9281", message="stage 4")
    trail.append("test", stage=4, name="t", result="FAIL")
    trail.append("commit", sha="c17b60b8c3", message="stage 4 again")
    log = compute_log(trail.read())
    assert _column(log, "commit", "build", "tests") == [("PASS", "stage4=PASS"), ("PASS", "stage4=FAIL")]


def test_a_file_created_here_stays_created(trail: Breadcrumbs) -> None:
    trail.append("artifact", path="op.py", change="created", lines=10)
    trail.append("artifact", path="op.py", change="modified", lines=14)
    assert _column(compute_log(trail.read()), "artifact", "change", "lines") == [("created", "14")]


def test_a_torn_line_shows_in_the_log(trail: Breadcrumbs) -> None:
    _start(trail, 4)
    with trail.path.open("a") as file:
        file.write('{"event": "te')
    log = compute_log(trail.read())
    assert log.of("note")[-1].text("text") == 'Line 2 of the breadcrumbs could not be read: torn line: {"event": "te'


def test_an_empty_trail_claims_nothing(trail: Breadcrumbs) -> None:
    log = compute_log(trail.read())
    assert log.metadata["status"] == Said("FAILED (the run has not ended)")
    assert log.stages == ()
