# SPDX-License-Identifier: Apache-2.0
"""Each rule finds its mistake in a log that is clean without it, and names the lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.logs.sample_logs import FREE_FORM, TEMPLATE
from tilewright._logs.audit.auditing import RULES, audit_text
from tilewright._logs.reading import specification_buffers


def _line(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if words in line)


@pytest.mark.parametrize("text", [TEMPLATE, FREE_FORM], ids=["template", "by hand"])
def test_clean_log_passes_the_audit(text: str) -> None:
    assert audit_text(text) == []


# Rule, what stands in the clean log, what the mistake makes of it, words on the lines that must be named.
_TEMPLATE_MISTAKES = [
    (
        "red-passes",
        "| Result | FAIL |\n\n#### Attempt 2 (GREEN)",
        "| Result | Tests PASS |\n\n#### Attempt 2 (GREEN)",
        ["Tests PASS"],
    ),
    (
        "red-unseen",
        "| Actual | no such operation |\n| Result | FAIL |\n",
        "",
        ["Attempt 1 (RED)"],
    ),
    (
        "success-unverified",
        "PARTIAL (Stages 4-5 COMPLETE, Stage 6 INCOMPLETE)",
        "PARTIAL (Stages 4-6 COMPLETE)",
        ["Stages 4-6", "| Result | HANG", "stage6=HANG"],
    ),
    ("success-unverified", "**Stage 6 INCOMPLETE**", "- ✅ Stage 6", ["✅ Stage 6"]),
    (
        "success-unverified",
        "| test_stage5_program_factory.py | PASS |",
        "| test_stage5_program_factory.py | FAIL |",
        ["factory.py | FAIL"],
    ),
    ("claim-without-test", "| test_stage5_program_factory.py | PASS | |\n", "", ["stage5=PASS", "| Final Status"]),
    (
        "claim-without-test",
        "| test_stage5_program_factory.py | PASS |",
        "| test_stage5_program_factory.py | |",
        ["test_stage5_program_factory.py | |"],
    ),
    ("attempts-differ", "Stage 5: 2, Stage 6: 1", "Stage 5: 3, Stage 6: 1", ["Stage 5: 3", "### Stage 5"]),
    ("attempts-differ", "| Total Attempts | 5 |", "| Total Attempts | 7 |", ["| Total Attempts | 7 |"]),
    (
        "attempts-differ",
        "| Total Attempts | 5 |",
        "| Total Attempts | 5 (4 for the reader, 1 for Stage 6) |",
        ["4 for the reader"],
    ),
    (
        "failure-untold",
        "| 1 | 5 | build_error |",
        "| 0 | Linking | build_error | no library | added | YES |\n| 1 | 5 | build_error |",
        ["Linking"],
    ),
    ("cb-rows-missing", "| c_2 | Reader | 1 (once) | Compute | 0 (persistent) | YES |\n", "", ["cb_factor"]),
    (
        "deviation-undeclared",
        "| cb_in | c_0 | tile_size | 2*Wt |",
        "| cb_in | c_0 | tile_size | Wt |",
        ["cb_in |", "None: the four"],
    ),
    ("section-missing", "| Final Status | PARTIAL (Stages 4-5 COMPLETE, Stage 6 INCOMPLETE) |\n", "", None),
    ("section-missing", "| Field | Value | Confidence | Notes |", "| Field | Value | Sure? | Notes |", None),
    ("section-missing", "## 6. Handoff Notes", "## 6. More", None),
    ("vocabulary", "| 1 | 5 | build_error |", "| 1 | 5 | compile_error |", ["compile_error"]),
    ("vocabulary", "- **Error Type**: build_error", "- **Error Type**: broken", ["broken"]),
    ("vocabulary", "| Kernel compilation | PASS |", "| Kernel compilation | ISSUES |", ["ISSUES"]),
    ("vocabulary", "| test_stage6_stub_kernels.py | HANG |", "| test_stage6_stub_kernels.py | BLOCKED |", ["BLOCKED"]),
    ("vocabulary", "| MEDIUM |", "| FAIRLY |", ["FAIRLY"]),
    ("vocabulary", "| Reader | NO HELPER |", "| Reader | RAW |", ["RAW"]),
    ("vocabulary", "PARTIAL (Stages 4-5 COMPLETE, Stage 6 INCOMPLETE)", "ALMOST DONE", ["ALMOST"]),
    ("hypothesis-gap", "H2: the factor", "H3: the factor", ["H3"]),
    (
        "created-and-modified",
        "- `device/scale_w_rm_device_operation.cpp` -",
        "- `device/scale_w_rm_program_factory.cpp` -",
        ["240 lines", "checks added"],
    ),
    ("created-and-modified", "- checks added", "- New file", ["New file"]),
    ("modified-unchanged", "- checks added", "- No changes (complete already)", ["No changes"]),
    ("commit-promised", "## Summary", "Commits will be made after the build.\n\n## Summary", ["will be made"]),
    ("helper-not-used", "compute_kernel_lib::tilize(c_0, Wt, c_1, 1)", "tilize_init/block/uninit", ["tilize_init"]),
    (
        "helper-not-used",
        "| mul_tiles_bcast, mul_tiles | No |",
        "| mul_tiles_bcast, mul_tiles | Yes |",
        ["mul_tiles_bcast"],
    ),
    ("all-pass-with-skips", "- The stubs hang; look", "- All stage 6 tests pass; look", ["All stage 6"]),
]

_FREE_FORM_MISTAKES = [
    (
        "claim-without-test",
        "test_stage6_stub_kernels.py::test_runs PASSED\ntest_stage6_stub_kernels.py::test_shape PASSED\n",
        "",
        ["stubs run", "✅ PASS"],
    ),
    ("untested-claim", "## Commits", "- It will work with batched inputs too.\n\n## Commits", ["will work", "SKIPPED"]),
    ("deviation-unproven", "1. **No second pass**: the design had one.", "None. It follows the spec.", ["None. It"]),
]


@pytest.mark.parametrize(
    ("text", "rule", "before", "after", "words"),
    [*((TEMPLATE, *each) for each in _TEMPLATE_MISTAKES), *((FREE_FORM, *each) for each in _FREE_FORM_MISTAKES)],
)
def test_a_mistake_is_found(text: str, rule: str, before: str, after: str, words: list[str] | None) -> None:
    assert before in text
    broken = text.replace(before, after)
    findings = [finding for finding in audit_text(broken) if finding.rule == rule]
    assert findings, rule
    lines = {line for finding in findings for line in finding.lines}
    assert {_line(broken, word) for word in words or []} <= lines
    for finding in findings:
        assert finding.quote in broken.split("\n")[finding.lines[0] - 1] or len(finding.lines) > 1
        assert finding.why


def test_claim_of_matching_pushes_and_pops_needs_counts() -> None:
    begin, end = FREE_FORM.index("### CB Sync"), FREE_FORM.index("## Stage 7 Tests")
    text = FREE_FORM[:begin] + "- Verified that cb_push and cb_pop counts match\n\n" + FREE_FORM[end:]
    rules = [finding.rule for finding in audit_text(text)]
    assert rules == ["section-missing", "sync-unshown"]


def test_claim_that_kernels_compile_needs_a_run() -> None:
    text = TEMPLATE.replace("| Kernel compilation | PASS |\n| Execution | HANG |\n", "")
    assert "compile-unproven" not in {finding.rule for finding in audit_text(text)}  # a test hung: they compiled
    text = text.replace("| test_stage6_stub_kernels.py | HANG |", "| test_stage6_stub_kernels.py | NOT RUN |")
    text = text.replace("the stubs compile and hang.", "the stubs compile.")
    text = text.replace("- The stubs hang;", "- The stub kernels compile successfully;")
    (finding,) = (finding for finding in audit_text(text) if finding.rule == "compile-unproven")
    assert _line(text, "compile successfully") in finding.lines


def test_declared_deviation_is_no_finding() -> None:
    text = TEMPLATE.replace("| cb_in | c_0 | tile_size | 2*Wt |", "| cb_in | c_0 | tile_size | Wt |")
    assert {finding.rule for finding in audit_text(text)} == {"deviation-undeclared"}
    declared = "| What | Why |\n|---|---|\n| c_0 has Wt pages | to save L1 |"
    text = text.replace("None: the four buffers are those of the spec.", declared)
    assert audit_text(text) == []


_SPEC = """\
# Spec

| ID | Purpose | Capacity | Page Size | Producer | Consumer |
|----|---------|----------|-----------|----------|----------|
| c_0 | sticks in | Wt | tile_size | Reader | Compute |
| c_1 | tiles | 2*Wt | tile_size | Compute | Compute |
| c_2 | scaler | 1 | tile_size | Reader | Compute |
| c_16 | sticks out | 32 | stick_size | Compute | Writer |
| c_24 | extra | 1 | tile_size | Compute | Compute |
"""


def test_a_specification_shows_deviations_that_are_denied() -> None:
    text = FREE_FORM.replace("1. **No second pass**: the design had one.", "None. It follows the spec.")
    findings = audit_text(text, specification_buffers(_SPEC))
    assert [finding.rule for finding in findings] == ["deviation-undeclared"] * 2
    denied = _line(text, "None. It follows")
    assert {finding.why for finding in findings} == {
        f"c_0 has 32 pages instead of Wt and pages of stick_size instead of tile_size, "
        f"and line {denied} says there are no deviations",
        f"c_24 is required and not configured, and line {denied} says there are no deviations",
    }
    assert (_line(text, "| c_0 |"), denied) in {finding.lines for finding in findings}


def test_row_for_all_buffers_counts_for_each() -> None:
    begin, end = TEMPLATE.index("| c_0 | Reader | cb_push"), TEMPLATE.index("\n### Design Compliance")
    text = TEMPLATE[:begin] + "| All | N/A (empty stubs) | None | N/A | None | N/A |\n" + TEMPLATE[end:]
    assert audit_text(text) == []


def test_a_condition_is_no_claim() -> None:
    text = FREE_FORM.replace("## Commits", "- Once batched input works, add the rest.\n\n## Commits")
    assert audit_text(text) == []


def test_every_rule_has_a_mistake_here_and_a_line_in_the_document() -> None:
    tested = {rule for rule, *_ in (*_TEMPLATE_MISTAKES, *_FREE_FORM_MISTAKES)} | {"sync-unshown", "compile-unproven"}
    assert tested == set(RULES)
    document = (Path(__file__).parents[2] / "docs" / "workshop-logs.md").read_text()
    rows = [f"| `{name}` | {rule.severity!s} |" for name, rule in RULES.items()]
    assert [row for row in rows if row not in document] == []


# The logs this audit was made for are not part of the package; where they are, it finds their contradictions.
_KNOWN = """
000 all-pass-with-skips 5, untested-claim 89
001 red-passes 45, success-unverified 9 86, attempts-differ 146, failure-untold 144, compile-unproven 86
002 deviation-undeclared 39 47 203, claim-without-test 185, commit-promised 218, section-missing 1
003 helper-not-used 77, section-missing 1
004 created-and-modified 135, claim-without-test 53 271, hypothesis-gap 97, vocabulary 125
"""


@pytest.mark.parametrize("known", _KNOWN.strip().splitlines())
def test_known_contradictions_are_found(known: str) -> None:
    directory = os.environ.get("TILEWRIGHT_EXECUTION_LOGS", "")
    if not directory:
        pytest.skip("TILEWRIGHT_EXECUTION_LOGS does not name a directory of execution logs")
    text = next(Path(directory).glob(f"{known[:3]}_*")).read_text(encoding="utf-8")
    specification = specification_buffers(_SPEC_OF_002) if known.startswith("002") else ()
    findings = audit_text(text, specification)
    found = {(finding.rule, line) for finding in findings for line in finding.lines}
    pairs = [each.split() for each in known[4:].split(", ")]
    assert {(rule, int(line)) for rule, *lines in pairs for line in lines} <= found
    assert any("confidence" in finding.why for finding in findings) == (known[:3] in ("000", "002", "003"))


_SPEC_OF_002 = "| CB | Capacity | Page size |\n|---|---|---|\n| c_0 | Wt | tile_size |\n| c_16 | Wt | tile_size |\n"
