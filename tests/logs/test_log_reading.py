# SPDX-License-Identifier: Apache-2.0
"""Reading execution logs: what was rendered comes back unchanged, and logs written by hand are understood."""

from __future__ import annotations

import pytest

from tests.logs.sample_logs import FREE_FORM, TEMPLATE
from tilewright._logs.audit.auditing import audit_text
from tilewright._logs.events import Entry, Said
from tilewright._logs.execution_log import ExecutionLog
from tilewright._logs.reading import parse_log


@pytest.mark.parametrize("text", ["", "\n\n", "| a |", "|---|---|", "# ", "```", "no markdown at all", "**x**:"])
def test_any_text_can_be_read(text: str) -> None:
    assert parse_log(text).stages == ()


def _column(log: ExecutionLog, event: str, *names: str) -> list[tuple[str, ...]]:
    return [tuple(row.text(name) for name in names) for row in log.of(event)]


def test_template_is_understood() -> None:
    log = parse_log(TEMPLATE)
    lines = TEMPLATE.split("\n")
    assert log.metadata["operation"] == Said("scale_w_rm")
    assert _column(log, "input_parse", "confidence") == [("HIGH",), ("MEDIUM",)]
    pages = [("c_0", "2*Wt"), ("c_1", "Wt"), ("c_2", "1"), ("c_16", "2*Wt")]
    assert _column(log, "cb_requirement", "index", "num_pages") == pages
    assert _column(log, "cb_config", "index", "num_pages") == pages
    assert all(f"| {row.text('name')} | {row.text('index')} |" in lines[row.line - 1] for row in log.of("cb_config"))
    assert _column(log, "artifact", "change", "notes") == [
        ("created", "30 lines"),
        ("created", "240 lines"),
        ("modified", "checks added"),
    ]
    assert _column(log, "commit", "tests") == [("stage4=PASS, stage5=PASS, stage6=HANG",)]
    assert _column(log, "denial", "text") == [("None: the four buffers are those of the spec.",)]


def test_short_log_by_hand_is_understood() -> None:
    log = parse_log(FREE_FORM)
    assert log.metadata["status"] == Said("PARTIAL")
    assert [(row.text("name").split("::")[-1], row.text("result"), row.text("stage")) for row in log.of("test")] == [
        ("test_runs", "PASSED", "6"),
        ("test_shape", "PASSED", "6"),
        ("test_single_tile", "PASSED", "7"),
        ("test_wide", "FAILED", "7"),
        ("test_batched_input", "SKIPPED", "7"),
    ]
    assert _column(log, "cb_sync_check", "index", "push", "pop")[2] == ("c_2", "1 (once)", "0 (persistent)")
    assert _column(log, "deviation", "what", "why") == [("No second pass", "the design had one.")]
    assert _column(log, "commit", "message") == [("[writer] stage 7: work in progress",)]


# Attempts under labels in bold, metadata as a list, test counts in brackets.
_LABELLED = """\
# Builder Execution Log: scale_w_rm

## Metadata
- **Operation**: scale_w_rm
- **Stages Owned**: 4, 5
- **Final Status**: SUCCESS (Stages 4-5 Complete)

## 2. Execution Timeline

### Stage 4: Device operation

**Attempt 1 (RED phase)**:
- Wrote one test
- Expected: the test fails
- Result: ✅ Tests PASS - it gets there already

**Implementation (GREEN phase)**:
- It was there already

**Test Results**: ✅ PASS (2/2 tests)

### Stage 5: Factory

**Attempt 1 (RED phase)**:
- Expected: fails in the kernels

**Build Results**: ✅ PASS
**Test Results**: ⚠️ NEEDS_VERIFICATION (inconclusive)

## 3. Recovery Summary

| Stage | Attempt | Error Type | Error Summary | Fix Applied | Result |
|-------|---------|------------|---------------|-------------|--------|
| 5 | 1 | build_error | unused | cast | ✅ PASS |

**Total attempts per stage**: Stage 4: 1, Stage 5: 2
"""


def test_attempts_under_labels_are_understood() -> None:
    log = parse_log(_LABELLED)
    four, _ = log.stages
    assert four.status == Said("✅ PASS (2/2 tests)")
    red = {"number": "1", "phase": "RED", "notes": "Wrote one test", "expected": "the test fails"}
    assert four.attempts == (
        Entry("attempt", {**red, "result": "✅ Tests PASS - it gets there already"}),
        Entry("attempt", {"number": "1", "phase": "GREEN", "notes": "It was there already"}),
    )
    assert _column(log, "step", "name", "status") == [("build", "✅ PASS")]
    assert _column(log, "test_count", "stage", "passed") == [("4", "2")]
    assert _column(log, "attempt_count", "stage", "count") == [("4", "1"), ("5", "2")]
    assert log.stage_numbers == (4, 5)


def test_contradictions_under_labels_are_found() -> None:
    lines = _LABELLED.split("\n")
    found = {
        finding.rule: [lines[line - 1] for line in finding.lines]
        for finding in audit_text(_LABELLED)
        if finding.rule != "section-missing"
    }
    assert found == {
        "red-passes": ["**Attempt 1 (RED phase)**:", "- Result: ✅ Tests PASS - it gets there already"],
        "red-unseen": ["**Attempt 1 (RED phase)**:"],
        "success-unverified": [
            "- **Final Status**: SUCCESS (Stages 4-5 Complete)",
            "**Test Results**: ⚠️ NEEDS_VERIFICATION (inconclusive)",
        ],
        "claim-without-test": ["- **Final Status**: SUCCESS (Stages 4-5 Complete)"],
        "attempts-differ": ["### Stage 5: Factory", "**Total attempts per stage**: Stage 4: 1, Stage 5: 2"],
        "failure-untold": ["### Stage 5: Factory", "| 5 | 1 | build_error | unused | cast | ✅ PASS |"],
    }
