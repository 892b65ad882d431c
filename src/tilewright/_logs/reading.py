# SPDX-License-Identifier: Apache-2.0
"""Reads execution logs: the template's form, the short free form, and our own.

Nothing depends on where a part stands: a table is known by its columns, a list by the heading it stands under.

>>> parse_log("# Execution log: scale\\n\\n## Status\\nPARTIAL\\n").metadata.status
Said(text='PARTIAL', line=4)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tilewright._logs.markdown import Field, Item, Paragraph, Row, Section, Table, read_sections
from tilewright._logs.model import (
    ComplianceRow,
    Deviation,
    ExecutionLog,
    Feedback,
    InputField,
    KernelRow,
    Metadata,
    RecoveryRow,
    Said,
    StageAttempts,
    Step,
    WorkRow,
    stage_numbers,
)
from tilewright._logs.reading_artifacts import read_artifacts, read_commits, read_promises
from tilewright._logs.reading_buffers import read_buffer_tables, read_mentions, read_requirements, read_sync_tables
from tilewright._logs.reading_timeline import read_stages, read_test_counts, read_tests, step_name

# Part of a log, and the headings it goes by.
_SECTION_TITLES = {
    "metadata": r"^metadata$",
    "timeline": r"timeline|^stage \d+:|kernels implemented",
    "test results": r"\btests?\b|test results",
    "circular buffers": r"(circular buffer|\bcb) config",
    "cb synchronization": r"(circular buffer|\bcb) sync",
    "recovery": r"recovery|issues (encountered|discovered)|known issues",
    "deviations": r"deviation",
    "artifacts": r"artifact|files? (created|modified)",
    "hand-over": r"hand-?off|hand-?over|next steps|recommendations",
    "git history": r"\bgit\b|\bcommits?\b",
}

_METADATA_NAMES = {
    "operation": "operation",
    "agent": "agent",
    "stages": "stages",
    "stages owned": "stages",
    "stage": "stages",
    "date": "date",
    "input": "inputs",
    "inputs": "inputs",
    "input files": "inputs",
    "predecessor": "predecessor",
    "predecessor agent": "predecessor",
    "status": "status",
    "final status": "status",
    "attempts": "attempts",
    "total attempts": "attempts",
    "commit": "commit",
    "final commit": "commit",
}


def parse_log(text: str) -> ExecutionLog:
    """What a log says. Reading never fails: what is not understood stays in ``prose``."""
    sections = read_sections(text)
    metadata = _read_metadata(sections)
    buffer_tables = read_buffer_tables(sections)
    mentions = read_mentions(sections)
    return ExecutionLog(
        metadata=metadata,
        inputs=_read_inputs(sections),
        requirements=read_requirements(sections),
        stages=read_stages(sections, metadata.stage_numbers),
        tests=read_tests(sections, metadata.stage_numbers),
        test_counts=read_test_counts(sections),
        steps=_read_steps(sections),
        buffer_tables=buffer_tables,
        sync_tables=read_sync_tables(sections, buffer_tables or mentions),
        kernels=_read_kernels(sections),
        work=_read_work(sections),
        recovery=_read_recovery(sections),
        stage_attempts=_read_stage_attempts(sections),
        deviations=_read_deviations(sections),
        denials=_read_denials(sections),
        compliance=_read_compliance(sections),
        artifacts=read_artifacts(sections),
        handover=_sentences(_under(sections, r"hand-?off|hand-?over")),
        feedback=_read_feedback(sections, r"upstream feedback"),
        improvements=_read_feedback(sections, r"instruction improvement"),
        commits=read_commits(sections),
        promises=read_promises(sections),
        summary=_sentences(_under(sections, r"^summary$")),
        sections=_parts(sections),
        prose=_sentences(sections),
        mentions=mentions,
    )


def _under(sections: Sequence[Section], title: str) -> list[Section]:
    """Sections with such a heading, or inside one."""
    return [section for section in sections if any(re.search(title, heading, re.I) for heading in section.path)]


def _rows(sections: Sequence[Section], *columns: str) -> Iterator[Row]:
    for section in sections:
        for table in section.tables():
            if table.has(*columns):
                yield from table.rows


def _sentences(sections: Sequence[Section]) -> tuple[Said, ...]:
    sentences = []
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Item | Paragraph) and block.text:
                sentences.append(Said(block.text, block.line))
            elif isinstance(block, Field):
                sentences.append(Said(f"{block.name}: {block.value}".rstrip(" "), block.line))
    return tuple(sentences)


def _parts(sections: Sequence[Section]) -> dict[str, int]:
    parts: dict[str, int] = {}
    for section in sections:
        for part, title in _SECTION_TITLES.items():
            if re.search(title, section.title, re.I):
                parts.setdefault(part, section.line)
        for table in section.tables():
            if table.has("field", "value", "confidence"):
                parts.setdefault("input interpretation", table.line)
    return parts


def _read_metadata(sections: Sequence[Section]) -> Metadata:
    found: dict[str, Said] = {}

    def take(name: str, value: str, line: int) -> None:
        known = _METADATA_NAMES.get(name.lower())
        if known and value:
            found.setdefault(known, Said(value, line))

    has_table = any(section.title.lower() == "metadata" for section in sections)
    for section in sections:
        if section.level <= 1 or section.title.lower() == "metadata":
            for block in section.blocks:
                if isinstance(block, Field):
                    take(block.name, block.value, block.line)
                elif isinstance(block, Table) and block.has("field", "value"):
                    for row in block.rows:
                        take(row.get("field"), row.get("value"), row.line)
        elif section.level == 2 and section.title.lower() in _METADATA_NAMES and not has_table:
            first = next((block for block in section.blocks if isinstance(block, Paragraph)), None)
            if first:
                take(section.title, first.text, first.line)
    if not has_table:
        _take_from_title(sections, found)
    return Metadata(**found)


def _take_from_title(sections: Sequence[Section], found: dict[str, Said]) -> None:
    title = next((section for section in sections if section.level == 1), None)
    if not title:
        return
    for pattern, name in (
        (r"\bfor\s+([a-z]\w+)$|log:\s*([a-z]\w*_\w+)$|log:\s*([a-z]\w+)$", "operation"),
        (r"\b(ttnn(?:-\w+)+)", "agent"),
    ):
        match = re.search(pattern, title.title, re.I)
        if match and "-" not in title.title[match.end() : match.end() + 1]:
            text = next(group for group in match.groups() if group)
            found.setdefault(name, Said(text, title.line))


def _read_inputs(sections: Sequence[Section]) -> tuple[InputField, ...]:
    return tuple(
        InputField(
            row.get("field"), row.get("value"), row.get("confidence"), row.get("source"), row.get("notes"), row.line
        )
        for row in _rows(sections, "field", "value", "confidence")
    )


def _read_steps(sections: Sequence[Section]) -> tuple[Step, ...]:
    """Build, kernel compilation and execution as told for the whole log, under a heading of their own."""
    return tuple(
        Step(step_name(block.name), block.value, block.line)
        for section in sections
        if re.search(r"build status|steps", section.title, re.I)
        for block in section.blocks
        if isinstance(block, Field) and step_name(block.name) and block.value
    )


def _read_kernels(sections: Sequence[Section]) -> tuple[KernelRow, ...]:
    return tuple(
        KernelRow(
            row.get("kernel"), row.get("file"), row.get("cb in"), row.get("cb out"), row.get("function"), row.line
        )
        for row in _rows(sections, "kernel", "file")
    )


def _read_work(sections: Sequence[Section]) -> tuple[WorkRow, ...]:
    return tuple(
        WorkRow(row.get("parameter"), row.get("value"), row.get("source"), row.line)
        for row in _rows(sections, "parameter", "value")
    )


def _read_recovery(sections: Sequence[Section]) -> tuple[RecoveryRow, ...]:
    return tuple(
        RecoveryRow(
            stage=row.get("stage"),
            error_type=row.get("error type"),
            cause=row.get("root cause", "error summary"),
            action=row.get("recovery action", "fix applied"),
            resolved=row.get("resolved", "result"),
            attempt=row.get("attempt"),
            line=row.line,
        )
        for row in _rows(sections, "stage", "error type")
    )


def _read_stage_attempts(sections: Sequence[Section]) -> tuple[StageAttempts, ...]:
    rows = tuple(
        StageAttempts(numbers[0], int(row.get("attempts")), row.line)
        for section in sections
        for table in section.tables()
        if table.columns[:2] == ("stage", "attempts")
        for row in table.rows
        for numbers in [stage_numbers(row.get("stage"))]
        if numbers and row.get("attempts").isdigit()
    )
    return rows + tuple(
        StageAttempts(int(stage), int(count), block.line)
        for section in sections
        for block in section.blocks
        if isinstance(block, Field) and re.search(r"attempts per stage", block.name, re.I)
        for stage, count in re.findall(r"stage\s+(\d+)\s*:\s*(\d+)", block.value, re.I)
    )


_NOTHING = re.compile(r"\s*(none\b|no deviations?\b|n/a\b)", re.I)


def _read_deviations(sections: Sequence[Section]) -> tuple[Deviation, ...]:
    deviations: list[Deviation] = []
    for section in _under(sections, "deviation"):
        listed = not _denied(section)
        for block in section.blocks:
            if isinstance(block, Table):
                deviations += map(_deviation_row, block.rows)
            elif listed and isinstance(block, Item):
                deviations.append(Deviation(block.text, line=block.line))
            elif listed and isinstance(block, Field):
                deviations.append(Deviation(block.name, block.value, line=block.line))
    return tuple(deviations)


def _deviation_row(row: Row) -> Deviation:
    what = row.get("what", "deviation")
    phase = row.get("phase")
    return Deviation(f"{phase}: {what}" if phase else what, row.get("why", "reason"), row.get("impact"), row.line)


def _denied(section: Section) -> list[Said]:
    return [
        Said(block.text, block.line)
        for block in section.blocks
        if isinstance(block, Paragraph | Item) and _NOTHING.match(block.text)
    ][:1]


def _read_denials(sections: Sequence[Section]) -> tuple[Said, ...]:
    return tuple(said for section in _under(sections, "deviation") for said in _denied(section))


def _read_compliance(sections: Sequence[Section]) -> tuple[ComplianceRow, ...]:
    return tuple(
        ComplianceRow(row.get("phase"), row.get("directive"), row.get("implementation"), row.get("compliant"), row.line)
        for row in _rows(sections, "phase", "directive", "compliant")
    )


def _read_feedback(sections: Sequence[Section], title: str) -> tuple[Feedback, ...]:
    found: list[Feedback] = []
    for section in _under(sections, title):
        target = re.sub(r"^for\s+", "", section.title, flags=re.I)
        for block in section.blocks:
            if isinstance(block, Table) and block.has("target", "issue"):
                found += [
                    Feedback(row.get("target"), row.get("issue"), row.get("suggestion"), row.get("severity"), row.line)
                    for row in block.rows
                ]
            elif isinstance(block, Field) and not re.match(r"issue|suggestion", block.name, re.I):
                found.append(Feedback(target, block.name, block.value, line=block.line))
    return tuple(found)
