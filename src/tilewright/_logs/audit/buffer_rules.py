# SPDX-License-Identifier: Apache-2.0
"""Rules about circular buffers: their tables, their balance, and what was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright._logs.amounts import Amount, Flow, says_kept
from tilewright._logs.audit.finding import Case, Hit, at_lines, rule
from tilewright._logs.model import Buffer, SyncRow
from tilewright._logs.vocabulary import Verdict, verdict


def _capacity(case: Case) -> dict[str, Buffer]:
    return {row.index: row for row in case.log.buffers}


def _sync_rows(case: Case) -> list[SyncRow]:
    return [row for table in case.log.sync_tables for row in table.rows]


@rule("cb-rows-missing", "circular buffers that are configured and in no table of pushes and pops")
def cb_rows_missing(case: Case) -> Iterator[Hit]:
    tables = case.log.sync_tables
    if not tables:
        return
    shown = {row.index for row in _sync_rows(case)}
    if any(index.lower().startswith("all") for index in shown):
        return
    missing = [
        row
        for row in case.log.buffers
        if row.index not in shown and "unused" not in row.purpose and not case.declared(row.index)
    ]
    if missing:
        names = ", ".join(row.index for row in missing)
        yield (
            (tables[0].line, *(row.line for row in missing)),
            f"pushes and pops are shown for {len(shown)} of {len(case.log.buffers)} circular buffers; missing: {names}",
        )


@rule("cb-unconfigured", "circular buffers that are pushed or popped and in no configuration")
def cb_unconfigured(case: Case) -> Iterator[Hit]:
    known = _capacity(case)
    for row in _sync_rows(case):
        named = row.index.startswith(("c_", "cb_"))  # unlike "all" or "the rest"
        if known and named and row.index not in known and not case.declared(row.index):
            yield (row.line,), f"{row.index} is pushed and popped, but the configuration does not have it"


def _kept(row: SyncRow, buffer: Buffer | None) -> bool:
    never_popped = Flow.read(row.pop).amount in (None, Amount(frozenset()))
    declared = buffer is not None and says_kept(buffer.purpose)
    return any(map(says_kept, (row.push, row.pop, row.balanced))) or (never_popped and declared)


@rule("cb-unbalanced", "pushes and pops of a circular buffer that differ, and nothing says it keeps its pages")
def cb_unbalanced(case: Case) -> Iterator[Hit]:
    status = case.log.metadata.status
    succeeded = status is not None and verdict(status.text) is Verdict.PASSED
    buffers = _capacity(case)
    for row in _sync_rows(case):
        push, pop = Flow.read(row.push), Flow.read(row.pop)
        # Amounts nobody gave cannot be compared; one side without the other can.
        unknown = (row.push and push.amount is None) or (row.pop and pop.amount is None)
        if unknown or push.amount == pop.amount or _kept(row, buffers.get(row.index)) or case.declared(row.index):
            continue
        if not re.match(r"\W*no\b", row.balanced, re.I) or succeeded:
            yield (
                (row.line,),
                f"{row.index}: pushed {row.push or 'nothing'}, popped {row.pop or 'nothing'}, "
                f"and called {row.balanced or 'nothing'}; nothing declares it persistent",
            )


@rule("cb-overflow", "more pages pushed at a time than the circular buffer has")
def cb_overflow(case: Case) -> Iterator[Hit]:
    for row, buffer, push, pages in _pushes(case):
        if push.may_exceed(pages) and not case.declared(row.index):
            yield (
                (row.line, buffer.line),
                f"{row.index} has {buffer.num_pages} pages, and {row.push} are pushed: it blocks",
            )


@rule("cb-pages-unused", "a circular buffer with more pages than are ever pushed")
def cb_pages_unused(case: Case) -> Iterator[Hit]:
    for row, buffer, push, pages in _pushes(case):
        if Flow.read(row.push).once and pages.may_exceed(push) and not case.declared(row.index):
            yield (
                (buffer.line, row.line),
                f"{row.index} has {buffer.num_pages} pages, but is pushed only {row.push}: the rest is never used",
            )


def _pushes(case: Case) -> Iterator[tuple[SyncRow, Buffer, Amount, Amount]]:
    buffers = _capacity(case)
    for row in _sync_rows(case):
        buffer, push = buffers.get(row.index), Flow.read(row.push).amount
        pages = Amount.read(buffer.num_pages) if buffer else None
        if buffer and push and pages:
            yield row, buffer, push, pages


def _page_counts(buffer: Buffer) -> set[Amount | None]:
    """What a row can mean: a count that is said to be double-buffered may be of one half."""
    pages = Amount.read(buffer.num_pages)
    doubled = pages is not None and re.search(r"double[- ]buffer", buffer.purpose, re.I)
    return {pages, pages.doubled()} if pages is not None and doubled else {pages}


@rule("cb-tables-differ", "a circular buffer with different page counts or sizes in two places of the log")
def cb_tables_differ(case: Case) -> Iterator[Hit]:
    first: dict[str, Buffer] = {}
    for table in (*case.log.buffer_tables, *case.log.mentions):
        for row in table.rows:
            before = first.setdefault(row.index, row)
            known = before.num_pages and row.num_pages
            if known and not _page_counts(before) & _page_counts(row):
                yield (
                    (before.line, row.line),
                    f"{row.index} has {before.num_pages} pages on line {before.line} "
                    f"and {row.num_pages} on line {row.line}",
                )
            elif before.page_size and row.page_size and _size(before.page_size) != _size(row.page_size):
                yield (
                    (before.line, row.line),
                    f"{row.index} has pages of {before.page_size} on line {before.line} "
                    f"and of {row.page_size} on line {row.line}",
                )


def _size(text: str) -> str:
    return text.strip().lower().replace(" ", "_").removesuffix("_size")


@rule("cb-count-differs", "a number of circular buffers that the configuration does not have")
def cb_count_differs(case: Case) -> Iterator[Hit]:
    rows = case.log.buffers
    if not rows:
        return
    told = [
        (int(number), said.line)
        for said in case.log.prose
        for number in re.findall(r"\b(\d+)\s+(?:circular buffers|CBs)\b", said.text)
    ]
    told += [
        (int(found.group(1)), entry.line)
        for entry in case.log.inputs
        if re.search(r"(cb|circular_buffer)s?_count|num_(cb|circular_buffer)", entry.name)
        for found in [re.match(r"\s*(\d+)", entry.value)]
        if found
    ]
    for number, line in told:
        if number != len(rows):
            yield (line, rows[0].line), f"{number} circular buffers, it says; the configuration has {len(rows)}"


@rule("deviation-undeclared", "a difference from the specification's circular buffers that is not declared")
def deviation_undeclared(case: Case) -> Iterator[Hit]:
    required = {row.index: row for row in case.requirements}
    configured = _capacity(case)
    if not required or not configured:
        return
    denial = [said.line for said in case.log.denials]
    after = f", and {at_lines(denial)} says there are no deviations" if denial else ", and no deviation says so"
    for index in dict.fromkeys((*required, *configured)):
        want, have = required.get(index), configured.get(index)
        if case.declared(index):
            continue
        if want is None or have is None:
            what = "is required and not configured" if have is None else "is configured and not required"
            yield (have.line if have else 0, *denial), f"{index} {what}{after}"
            continue
        wanted, given = Amount.read(want.num_pages), Amount.read(have.num_pages)
        differences = []
        if wanted is not None and given is not None and wanted != given:
            differences.append(f"{have.num_pages} pages instead of {want.num_pages}")
        if want.page_size and have.page_size and _size(want.page_size) != _size(have.page_size):
            differences.append(f"pages of {have.page_size} instead of {want.page_size}")
        if differences:
            yield (have.line, *denial), f"{index} has {' and '.join(differences)}{after}"


@rule("deviation-unproven", '"no deviations" where nothing shows what the specification asked for')
def deviation_unproven(case: Case) -> Iterator[Hit]:
    if case.requirements or any(row.source for table in case.log.buffer_tables for row in table.rows):
        return
    for said in case.log.denials:
        yield (
            (said.line,),
            "no deviations, it says, but neither the specification's circular buffers nor the source of any figure is "
            "shown (give the specification with --spec to compare)",
        )


@rule("sync-unshown", "pushes and pops said to match where no table shows them")
def sync_unshown(case: Case) -> Iterator[Hit]:
    if case.log.sync_tables:
        return
    for said in case.log.prose:
        if re.search(r"verified\b.*(push|pop)", said.text, re.I):
            yield (said.line,), "pushes and pops are said to match, but nowhere shown"
