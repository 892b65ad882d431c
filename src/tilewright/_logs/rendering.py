# SPDX-License-Identifier: Apache-2.0
"""Execution logs written as Markdown, the template's sections in its order.

:func:`~tilewright._logs.reading.parse_log` gives the same log back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tilewright._display.markdown import escape
from tilewright._logs.events import ATTEMPT_FIELDS, TABLES, Entry
from tilewright._logs.execution_log import METADATA, ExecutionLog, StageRecord

# What stands under each heading: tables and lists of the schema.
_SECTIONS = (
    ("## 1. Input interpretation", ("input_parse",)),
    ("### Circular buffers the specification asks for", ("cb_requirement",)),
    ("## 2. Execution timeline", ()),
    ("### Tests", ("test", "test_count")),
    ("### Build status", ("step",)),
    ("## 2a. Circular buffer configuration", ("cb_config",)),
    ("## 2b. CB synchronization", ("cb_sync_check",)),
    ("## 2c. Kernels and work", ("kernel_implemented", "work_distribution", "design_compliance")),
    ("## 3. Recovery summary", ("failure", "attempt_count")),
    ("## 4. Deviations", ("denial", "deviation")),
    ("## 5. Artifacts", ("artifact",)),
    ("## 6. Hand-over notes", ("handoff",)),
    ("## 7. Git history", ("promise", "commit")),
    ("## Summary", ("note",)),
)


def render_log(log: ExecutionLog) -> str:
    """The log as Markdown."""
    operation = f": {escape(log.metadata['operation'].text)}" if "operation" in log.metadata else ""
    facts = [(title, log.metadata[name].text) for name, title in METADATA.items() if name in log.metadata]
    lines = [f"# Execution log{operation}", "", "## Metadata", *_table(("Field", "Value"), facts)]
    for heading, events in _SECTIONS:
        lines += ["", heading]
        for event in events:
            lines += _rows(event, log.of(event))
        if heading.endswith("timeline"):
            for stage in log.stages:
                lines += _stage(stage)
    return "\n".join(lines) + "\n"


def _rows(event: str, rows: Sequence[Entry]) -> Iterator[str]:
    if event in TABLES and (rows or event == "input_parse"):
        header = [names.split("|")[0].rstrip("*") for names in TABLES[event].values()]
        yield from _table(header, ([row.text(name) for name in TABLES[event]] for row in rows))
        return
    if event == "attempt_count" and rows:
        counts = ", ".join(f"Stage {row.text('stage')}: {row.text('count')}" for row in rows)
        yield from ("", f"**Attempts per stage**: {counts}")
        return
    for row in rows:
        if event == "test_count":
            name = f"Stage {row.text('stage')} results" if row.text("stage") else "Results"
            numbers = ", ".join(f"{row.text(word)} {word}" for word in ("passed", "failed", "skipped"))
            yield from ("", f"**{name}**: {numbers}")
        elif event == "step":
            yield from ("", f"**{row.text('name').capitalize()}**: {escape(row.text('status'))}")
        else:
            yield from ("", f"- {escape(row.text('text'))}")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield ""
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(map(escape, row)) + " |"


def _stage(stage: StageRecord) -> Iterator[str]:
    yield from ("", f"### Stage {stage.number}: {escape(stage.title)}".rstrip())
    if stage.status:
        yield from ("", f"**Status**: {escape(stage.status.text)}")
    for attempt in stage.attempts:
        phase = f" ({attempt.text('phase')})" if attempt.text("phase") else ""
        title = f": {escape(attempt.text('title'))}" if attempt.text("title") else ""
        number = attempt.text("number")
        yield from ("", f"#### Attempt{'s' if '-' in number else ''} {number}{phase}{title}")
        facts = [(title, attempt.text(name)) for name, title in ATTEMPT_FIELDS.items() if attempt.text(name)]
        yield from _table(("Field", "Value"), facts)
