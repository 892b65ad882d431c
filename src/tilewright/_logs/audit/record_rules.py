# SPDX-License-Identifier: Apache-2.0
"""Rules about the record itself: its parts, its words, hypotheses, files, commits, compliance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright._logs.audit.auditing import AuditedLog, Hit, rule
from tilewright._logs.events import CONFIDENCES, DIRECTIVES, ERROR_TYPES, FINAL_STATUSES, STATUSES, STEPS
from tilewright._logs.execution_log import ExecutionLog, begins_with, status_word
from tilewright._rules import Severity

_REQUIRED_PARTS = {
    "input interpretation": "a table of what was read from the specification, with a confidence for each field",
    "timeline": "a timeline of the stages",
    "test results": "test results",
    "deviations": "deviations, or that there are none",
    "artifacts": "the files created and modified",
    "hand-over": "hand-over notes",
    "git history": "the commits",
}
# What a log about the program factory or its stubs must have besides.
_FACTORY_PARTS = {
    "circular buffers": "the configuration of the circular buffers",
    "cb synchronization": "a check of pushes against pops",
}
# A table that stands for a part wherever it is.
_PART_ROWS = {
    **{"input_parse": "input interpretation", "test": "test results", "test_count": "test results"},
    **{"commit": "git history", "cb_config": "circular buffers", "cb_sync_check": "cb synchronization"},
}


@rule("section-missing", Severity.NOTE, "a part every execution log must have")
def section_missing(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    for name, what in (("operation", "does not name its operation"), ("status", "has no final status")):
        if name not in log.metadata:
            yield (1,), f"the log {what}"
    present = {*log.parts, *(part for event, part in _PART_ROWS.items() if log.of(event))}
    claimed = {stage.number for stage in log.stages} | {test.number("stage") for test in log.of("test")}
    builds_factory = not {5, 6}.isdisjoint({*log.stage_numbers} or claimed)
    for part, description in (_REQUIRED_PARTS | (_FACTORY_PARTS if builds_factory else {})).items():
        if part not in present:
            yield (1,), f"the log lacks {description}"


@rule("vocabulary", Severity.NOTE, "a status, error type, confidence or directive that is none of the words")
def vocabulary(audited: AuditedLog) -> Iterator[Hit]:
    for kind, text, line, words in _written_words(audited.log):
        if text and not begins_with(text, words) and not begins_with(status_word(text), words):
            yield (line,), f"{kind} {text!r}; the words are {', '.join(words)}"


def _written_words(log: ExecutionLog) -> Iterator[tuple[str, str, int, tuple[str, ...]]]:
    """Texts whose vocabulary is fixed: kind, text, line, vocabulary."""
    final = log.metadata.get("status")
    if final:
        yield "final status", final.text, final.line, (*FINAL_STATUSES, "HANG", "NEEDS_VERIFICATION")
    for kind, event, name, words in (
        ("confidence", "input_parse", "confidence", CONFIDENCES),
        ("directive", "design_compliance", "directive", DIRECTIVES),
        ("error type", "failure", "error_type", ERROR_TYPES),
        ("status", "step", "status", STATUSES),
        ("status", "test", "result", STATUSES),
    ):
        yield from ((kind, row.text(name), row.line, words) for row in log.of(event))
    yield from (("status", each.status.text, each.status.line, STATUSES) for each in log.stages if each.status)
    for _, attempt in log.attempts:
        yield "error type", attempt.text("error_type"), attempt.line_of("error_type"), ERROR_TYPES
        yield from (("status", attempt.text(step), attempt.line_of(step), STATUSES) for step in STEPS)


@rule("hypothesis-gap", Severity.ERROR, "hypotheses whose numbers leave one out")
def hypothesis_gap(audited: AuditedLog) -> Iterator[Hit]:
    claimed = [(attempt.text("hypothesis"), attempt.line_of("hypothesis")) for _, attempt in audited.log.attempts]
    claimed += [(row.text("cause"), row.line) for row in audited.log.of("failure")]
    lines = {int(number): line for text, line in reversed(claimed) for number in re.findall(r"\bH(\d+)\b", text)}
    missing = [f"H{number}" for number in range(1, max(lines, default=0)) if number not in lines]
    if missing:
        there = ", ".join(f"H{number}" for number in sorted(lines))
        yield sorted(lines.values()), f"{', '.join(missing)} is missing: the log has {there}"


@rule("created-and-modified", Severity.ERROR, "a file listed as created and as modified, or a new one as modified")
def created_and_modified(audited: AuditedLog) -> Iterator[Hit]:
    files = audited.log.of("artifact")
    created = {row.text("path"): row.line for row in files if row.text("change") == "created"}
    for row in files:
        name = row.text("path").rsplit("/", 1)[-1]
        if row.text("change") == "modified" and row.text("path") in created:
            yield (created[row.text("path")], row.line), f"{name} is listed as created and as modified"
        elif row.text("change") == "modified" and re.match(r"\W*new file\b", row.text("notes"), re.I):
            yield (row.line,), f"{name} is a new file and listed as modified"


@rule("modified-unchanged", Severity.ERROR, "a file listed among the changed ones that did not change")
def modified_unchanged(audited: AuditedLog) -> Iterator[Hit]:
    for row in audited.log.of("artifact"):
        if re.match(r"\W*(unchanged|no changes?)\b", row.text("notes"), re.I):
            name = row.text("path").rsplit("/", 1)[-1]
            yield (row.line,), f"{name} is listed as changed, and said not to have changed"


@rule("commit-promised", Severity.WARNING, "commits that are still to be made")
def commit_promised(audited: AuditedLog) -> Iterator[Hit]:
    there = "" if audited.log.of("commit") else ", and the log has none"
    for row in audited.log.of("promise"):
        yield (row.line,), f"commits are announced instead of recorded{there}"


_RAW_CALL = re.compile(r"\b\w+_(init|uninit|tiles?|block|init_short|bcast_(?:cols|rows|scalar))\b")
_HELPER_CALL = re.compile(
    r"\bcompute_kernel_lib::|\bphases\.\w|\b\w+\s*<[^>]*>\s*\(|\b(?:tilize|untilize|reduce|binary_op)\s*[<(]"
)


@rule("helper-not-used", Severity.ERROR, "raw calls marked as compliant with USE HELPER")
def helper_not_used(audited: AuditedLog) -> Iterator[Hit]:
    for row in audited.log.of("design_compliance"):
        raw = _RAW_CALL.search(row.text("implementation"))
        requires_helper = row.text("directive").upper().startswith("USE HELPER")
        compliant = re.match(r"\W*(yes|compliant|ok)\b", row.text("compliant"), re.I)
        if requires_helper and compliant and raw and not _HELPER_CALL.search(row.text("implementation")):
            phase, call = row.text("phase"), raw.group(0)
            yield (row.line,), f"{phase}: the design says USE HELPER, {call} is a raw call, and it is marked compliant"
