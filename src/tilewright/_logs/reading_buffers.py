# SPDX-License-Identifier: Apache-2.0
"""Circular buffers in a log: tables, lists and sentences about their pages, pushes and pops."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from tilewright._logs.amounts import matching_index, page_count
from tilewright._logs.markdown import Code, Item, Row, Section, Table
from tilewright._logs.model import Buffer, BufferTable, Requirement, SyncRow, SyncTable

_INDEX = re.compile(r"\b(?:c|CB)_(\d+)\b")
_MENTION = re.compile(r"(?:CB\s+)?((?:c|CB)_\d+):\s*(.+)$")


def cb_index(text: str) -> str:
    """``c_3`` for ``c_3 (cb_mean)`` or ``CB_3``; '' if it names none."""
    found = _INDEX.search(text)
    return f"c_{found.group(1)}" if found else ""


def _index(row: Row) -> str:
    written = row.get("index") if cb_index(row.get("index")) else row.get("cb id", "id", "cb", "index")
    return cb_index(written) or written


def _is_requirement(table: Table) -> bool:
    return table.has("capacity") and (table.has("cb") or table.has("id"))


def read_requirements(sections: Sequence[Section]) -> tuple[Requirement, ...]:
    """What the specification asks for: tables with a capacity per circular buffer."""
    return tuple(
        Requirement(
            index=_index(row),
            purpose=row.get("purpose"),
            num_pages=row.get("capacity"),
            page_size=row.get("page size"),
            block_size=row.get("block size"),
            producer=row.get("producer"),
            consumer=row.get("consumer"),
            line=row.line,
        )
        for section in sections
        for table in section.tables()
        if _is_requirement(table)
        for row in table.rows
    )


def read_buffer_tables(sections: Sequence[Section]) -> tuple[BufferTable, ...]:
    """Tables with page size and number of pages."""
    return tuple(
        BufferTable(table.label or section.title, tuple(map(_buffer, table.rows)), table.line)
        for section in sections
        for table in section.tables()
        if table.has("page size", "num pages")
    )


def _buffer(row: Row) -> Buffer:
    index = _index(row)
    identifier = row.get("cb id")  # a name where there is an index beside it
    purpose = row.get("purpose")
    notes = row.get("notes")
    return Buffer(
        index=index,
        name=row.get("name") or ("" if cb_index(identifier) else identifier),
        page_size=row.get("page size"),
        num_pages=row.get("num pages"),
        data_format=row.get("data type", "data format"),
        purpose=f"{purpose}; {notes}" if notes.strip("- ") else purpose,
        source=row.get("source"),
        line=row.line,
    )


def read_mentions(sections: Sequence[Section]) -> tuple[BufferTable, ...]:
    """Lists such as ``c_0: input sticks, 32 pages``, one table per section."""
    tables = []
    for section in sections:
        rows = []
        for block in section.blocks:
            found = _MENTION.match(block.text) if isinstance(block, Item | Code) else None
            pages, page_size = page_count(found.group(2)) if found else ("", "")
            if found and pages:
                rows.append(
                    Buffer(
                        cb_index(found.group(1)),
                        page_size=page_size,
                        num_pages=pages,
                        purpose=found.group(2),
                        line=block.line,
                    )
                )
        if rows:
            tables.append(BufferTable(section.title, tuple(rows), rows[0].line))
    return tuple(tables)


def read_sync_tables(sections: Sequence[Section], configured: Sequence[BufferTable]) -> tuple[SyncTable, ...]:
    """Tables of pushes and pops, and lists that say the same in sentences."""
    tables = []
    for section in sections:
        for table in section.tables():
            if table.has("push", "pop"):
                tables.append(SyncTable(table.label or section.title, tuple(map(_sync_row, table.rows)), table.line))
        told = _told_sync(section, configured)
        if told:
            tables.append(SyncTable(section.title, told, told[0].line))
    return tuple(tables)


def _sync_row(row: Row) -> SyncRow:
    return SyncRow(
        index=_index(row),
        producer=row.get("producer"),
        push=row.get("push"),
        consumer=row.get("consumer"),
        pop=row.get("pop"),
        balanced=row.get("balanced", "status"),
        line=row.line,
    )


_TRAFFIC_LABEL = re.compile(r"^(reader|compute|writer)\s+(push|pop)", re.I)
_TRAFFIC = re.compile(r"(?:(pops?|pushes|waits)\s+)?((?:cb|c)_\w+):\s*([^→]+)", re.I)
_LOOP = re.compile(r"\bper\s+\S+|\bloop\b|\bevery\b", re.I)


def _told_sync(section: Section, configured: Sequence[BufferTable]) -> tuple[SyncRow, ...]:
    """``Reader pushes: - cb_scaler: 1 tile`` and its like. What stands beside repeated traffic and is not
    marked as repeated itself happens once."""
    rows: dict[str, SyncRow] = {}
    purposes = {row.index: row.name + " " + row.purpose for table in configured[:1] for row in table.rows if row.index}
    loop_indent: int | None = None
    for block in section.blocks:
        if not isinstance(block, Item):
            continue
        label = _TRAFFIC_LABEL.match(block.label)
        if not label:
            continue
        if loop_indent is not None and block.indent <= loop_indent:
            loop_indent = None
        traffic = _TRAFFIC.findall(block.text)
        if not traffic and _LOOP.search(block.text):
            loop_indent = block.indent
        often = " per row" if loop_indent is not None else "" if _LOOP.search(block.text) else " once"
        for verb, name, amount in traffic:
            index = cb_index(name) or matching_index(name, purposes) or name
            row = rows.setdefault(index, SyncRow(index, line=block.line))
            said = amount.strip() + ("" if re.search(r"/|once|\u00d7", amount) else often)
            rows[index] = _add_traffic(row, label.group(1).capitalize(), (verb or label.group(2)).lower(), said)
    return tuple(rows.values())


def _add_traffic(row: SyncRow, kernel: str, verb: str, said: str) -> SyncRow:
    if verb.startswith("push"):
        return dataclasses.replace(row, producer=kernel, push=said)
    # A wait alone leaves the pages where they are: it is only a pop if it says so.
    if verb.startswith("pop") or "pop" in said:
        return dataclasses.replace(row, consumer=kernel, pop=said)
    return row
