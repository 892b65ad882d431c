# SPDX-License-Identifier: Apache-2.0
"""Writes an execution log in our own form, the template's sections in its order.

Reading what is written gives the same log back:

>>> from tilewright._logs.model import Commit, ExecutionLog
>>> from tilewright._logs.reading import parse_log
>>> log = ExecutionLog(commits=(Commit("9f283b9281", "[scale] stage 4: the operation exists"),))
>>> parse_log(render_log(log)) == log
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tilewright._logs.markdown import escape
from tilewright._logs.model import Attempt, ExecutionLog, Feedback, Said, Stage

_METADATA = {
    "operation": "Operation",
    "agent": "Agent",
    "stages": "Stages",
    "date": "Date",
    "inputs": "Input files",
    "predecessor": "Predecessor",
    "status": "Final status",
    "attempts": "Total attempts",
    "commit": "Final commit",
}


def render_log(log: ExecutionLog) -> str:
    """The log as Markdown."""
    operation = f": {escape(log.metadata.operation.text)}" if log.metadata.operation else ""
    lines = [f"# Execution log{operation}", *_metadata(log), *_input(log), "", "## 2. Execution timeline"]
    for stage in log.stages:
        lines += _stage(stage)
    lines += _tests(log)
    lines += _buffers(log)
    lines += _recovery(log)
    lines += _deviations(log)
    lines += _artifacts(log)
    lines += ["", "## 6. Hand-over notes", *_items(log.handover)]
    lines += ["", "## 7. Instruction improvements", *_feedback(log.improvements)]
    lines += _commits(log)
    lines += ["", "## Summary", *_items(log.summary)]
    return "\n".join(lines) + "\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield ""
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join("" if cell is None else escape(str(cell)) for cell in row) + " |"


def _items(sentences: Iterable[Said]) -> Iterator[str]:
    yield ""
    for said in sentences:
        yield f"- {escape(said.text)}"


def _field(name: str, value: str) -> list[str]:
    return ["", f"**{name}**: {escape(value)}"]


def _metadata(log: ExecutionLog) -> list[str]:
    values = {title: getattr(log.metadata, name) for name, title in _METADATA.items()}
    return ["", "## Metadata", *_table(("Field", "Value"), [(k, said.text) for k, said in values.items() if said])]


def _input(log: ExecutionLog) -> list[str]:
    lines = ["", "## 1. Input interpretation"]
    rows = [(entry.name, entry.value, entry.confidence, entry.source, entry.notes) for entry in log.inputs]
    lines += _table(("Field", "Value", "Confidence", "Source", "Notes"), rows)
    if log.requirements:
        lines += ["", "### Circular buffers the specification asks for"]
        lines += _table(
            ("CB", "Purpose", "Capacity", "Page size", "Block size", "Producer", "Consumer"),
            [
                (row.index, row.purpose, row.num_pages, row.page_size, row.block_size, row.producer, row.consumer)
                for row in log.requirements
            ],
        )
    return [*lines, "", "### Upstream feedback", *_feedback(log.feedback)]


def _feedback(entries: Iterable[Feedback]) -> Iterator[str]:
    rows = [(entry.target, entry.issue, entry.suggestion, entry.severity) for entry in entries]
    return _table(("Target", "Issue", "Suggestion", "Severity"), rows)


def _stage(stage: Stage) -> list[str]:
    lines = ["", f"### Stage {stage.number}: {escape(stage.title)}".rstrip()]
    if stage.status:
        lines += _field("Status", stage.status.text)
    for step in stage.steps:
        lines += _field(step.name.capitalize(), step.status)
    for attempt in stage.attempts:
        lines += _attempt(attempt)
    return lines


def _attempt(attempt: Attempt) -> list[str]:
    phase = f" ({attempt.phase})" if attempt.phase else ""
    title = f": {escape(attempt.title)}" if attempt.title else ""
    told = [
        ("Action", attempt.action),
        ("Expected", attempt.expected),
        ("Actual", attempt.actual),
        ("Result", attempt.result),
        *((step.name.capitalize(), step.status) for step in attempt.steps),
    ]
    found = [
        ("Error type", attempt.error_type),
        ("Error summary", attempt.error_summary),
        ("Root cause hypothesis", attempt.hypothesis),
        ("Evidence", attempt.evidence),
        ("Recovery action", attempt.recovery),
    ]
    return [
        "",
        f"#### Attempt {attempt.number}{phase}{title}",
        *_table(("Field", "Value"), [(name, value) for name, value in told if value]),
        "",
        *(f"- **{name}**: {escape(value)}" for name, value in found if value),
        *(f"- {escape(note.text)}" for note in attempt.notes),
    ]


def _tests(log: ExecutionLog) -> list[str]:
    lines = ["", "### Tests"]
    lines += _table(
        ("Stage", "Test", "Status", "Notes"), [(test.stage, test.name, test.status, test.notes) for test in log.tests]
    )
    for count in log.test_counts:
        name = "Results" if count.stage is None else f"Stage {count.stage} results"
        lines += _field(name, f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    if log.steps:
        lines += ["", "### Build status"]
        for step in log.steps:
            lines += _field(step.name.capitalize(), step.status)
    return lines


def _buffers(log: ExecutionLog) -> list[str]:
    lines = ["", "## 2a. Circular buffer configuration"]
    for table in log.buffer_tables:
        lines += ["", f"### {escape(table.title)}"]
        lines += _table(
            ("Index", "Name", "Page size", "Num pages", "Data format", "Purpose", "Source"),
            [
                (row.index, row.name, row.page_size, row.num_pages, row.data_format, row.purpose, row.source)
                for row in table.rows
            ],
        )
    lines += ["", "## 2b. CB synchronization"]
    for sync in log.sync_tables:
        lines += ["", f"### {escape(sync.title)}"]
        lines += _table(
            ("CB", "Producer", "Push", "Consumer", "Pop", "Balanced"),
            [(row.index, row.producer, row.push, row.consumer, row.pop, row.balanced) for row in sync.rows],
        )
    lines += ["", "## 2c. Kernels and work"]
    kernels = [(row.kernel, row.file, row.reads, row.writes, row.function) for row in log.kernels]
    lines += _table(("Kernel", "File", "CB in", "CB out", "Function"), kernels)
    lines += _table(("Parameter", "Value", "Source"), [(row.parameter, row.value, row.source) for row in log.work])
    if log.compliance:
        lines += ["", "### Design compliance"]
        rows = [(row.phase, row.directive, row.implementation, row.compliant) for row in log.compliance]
        lines += _table(("Phase", "Directive", "Implementation", "Compliant"), rows)
    return lines


def _recovery(log: ExecutionLog) -> list[str]:
    rows = [(row.stage, row.attempt, row.error_type, row.cause, row.action, row.resolved) for row in log.recovery]
    header = ("Stage", "Attempt", "Error type", "Root cause", "Recovery action", "Resolved")
    lines = ["", "## 3. Recovery summary", *_table(header, rows)]
    if log.stage_attempts:
        counts = ", ".join(f"Stage {entry.stage}: {entry.count}" for entry in log.stage_attempts)
        lines += _field("Attempts per stage", counts)
    return lines


def _deviations(log: ExecutionLog) -> list[str]:
    rows = [(entry.what, entry.why, entry.impact) for entry in log.deviations]
    denials = [line for said in log.denials for line in ("", escape(said.text))]
    return ["", "## 4. Deviations", *denials, *_table(("What", "Why", "Impact"), rows)]


def _artifacts(log: ExecutionLog) -> list[str]:
    rows = [(entry.path, entry.change, entry.lines, entry.notes) for entry in log.artifacts]
    return ["", "## 5. Artifacts", *_table(("File", "Change", "Lines", "Notes"), rows)]


def _commits(log: ExecutionLog) -> list[str]:
    promises = [line for said in log.promises for line in ("", escape(said.text))]
    rows = [(entry.sha, entry.message, entry.files, entry.build, entry.tests) for entry in log.commits]
    header = ("Commit", "Message", "Files", "Build", "Tests")
    return ["", "## 8. Git history", *promises, *_table(header, rows)]
