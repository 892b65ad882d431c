# SPDX-License-Identifier: Apache-2.0
"""Logs as people write them are read into the model, with their lines."""

from __future__ import annotations

from tests.logs.sample_logs import FREE_FORM, TEMPLATE
from tilewright._logs.audit.auditing import audit_text
from tilewright._logs.model import Artifact, Said, StageAttempts, TestCount
from tilewright._logs.reading import parse_log

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


def test_attempts_under_labels() -> None:
    log = parse_log(_LABELLED)
    four, five = log.stages
    assert four.status == Said("✅ PASS (2/2 tests)")
    assert [(entry.number, entry.phase, entry.expected) for entry in four.attempts] == [
        (1, "RED", "the test fails"),
        (1, "GREEN", ""),
    ]
    assert four.attempts[0].result.startswith("✅ Tests PASS")
    assert four.attempts[0].notes == (Said("Wrote one test"),)
    assert [(step.name, step.status) for step in five.steps] == [("build", "✅ PASS")]
    assert log.test_counts == (TestCount(2, stage=4),)
    assert log.stage_attempts == (StageAttempts(4, 1), StageAttempts(5, 2))
    assert log.metadata.stage_numbers == (4, 5)


def test_what_is_wrong_under_labels() -> None:
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


def test_the_template() -> None:
    log = parse_log(TEMPLATE)
    lines = TEMPLATE.split("\n")
    assert log.metadata.operation == Said("scale_w_rm")
    assert [entry.confidence for entry in log.inputs] == ["HIGH", "MEDIUM"]
    assert [(row.index, row.num_pages) for row in log.requirements] == [
        ("c_0", "2*Wt"),
        ("c_1", "Wt"),
        ("c_2", "1"),
        ("c_16", "2*Wt"),
    ]
    assert [row.name for row in log.buffers] == ["cb_in", "cb_tiled", "cb_factor", "cb_out"]
    assert all(f"| {row.name} | {row.index} |" in lines[row.line - 1] for row in log.buffers)
    assert [said.text for said in log.hypotheses] == ["H1", "H2", "H1", "H2"]
    assert log.artifacts[-1] == Artifact("device/scale_w_rm_device_operation.cpp", "modified", None, "checks added")
    assert [entry.lines for entry in log.artifacts] == [30, 240, None]
    assert log.commits[0].tests == "stage4=PASS, stage5=PASS, stage6=HANG"
    assert log.denials == (Said("None: the four buffers are those of the spec."),)


def test_the_free_form() -> None:
    log = parse_log(FREE_FORM)
    assert log.metadata.status == Said("PARTIAL")
    assert [(test.name.split("::")[-1], test.status, test.stage) for test in log.tests] == [
        ("test_runs", "PASSED", 6),
        ("test_shape", "PASSED", 6),
        ("test_single_tile", "PASSED", 7),
        ("test_wide", "FAILED", 7),
        ("test_batched_input", "SKIPPED", 7),
    ]
    (sync,) = log.sync_tables
    assert {row.index: (row.producer, row.push, row.consumer, row.pop) for row in sync.rows} == {
        "c_2": ("Reader", "1 tile once", "Compute", "1 tile (never popped) once"),
        "c_0": ("Reader", "32 pages/row \u00d7 Ht rows", "Compute", "32 pages per row"),
        "c_1": ("Compute", "Wt tiles per row", "Compute", "Wt tiles per row"),
        "c_16": ("Compute", "32 pages per row", "Writer", "32 pages/row \u00d7 Ht rows"),
    }
    assert [(row.index, row.num_pages) for row in log.mentions[0].rows] == [("c_0", "32"), ("c_1", "Wt"), ("c_2", "1")]
    assert [(entry.what, entry.why) for entry in log.deviations] == [("No second pass", "the design had one.")]
    assert log.commits[0].message == "[writer] stage 7: work in progress"
