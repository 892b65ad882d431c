# SPDX-License-Identifier: Apache-2.0
"""Rules about circular buffers: their tables, their balance, and what was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright._logs.amounts import Amount, PageFlow, same_pages, says_kept
from tilewright._logs.audit.finding import AuditedLog, AuditSeverity, Hit, at_lines, rule
from tilewright._logs.events import Entry
from tilewright._logs.execution_log import Outlook, outlook


@rule("cb-rows-missing", AuditSeverity.WARNING, "circular buffers that are in no table of pushes and pops")
def cb_rows_missing(audited: AuditedLog) -> Iterator[Hit]:
    sync, buffers = audited.log.of("cb_sync_check"), audited.log.buffers
    shown = {row.text("index") for row in sync}
    if not sync or any(index.lower().startswith("all") for index in shown):
        return
    missing = [index for index in buffers if index not in shown and not audited.declares(index)]
    if missing:
        lines = (sync[0].line, *(buffers[index].line for index in missing))
        counts = f"{len(shown)} of {len(buffers)}"
        yield lines, f"pushes and pops are shown for {counts} circular buffers; missing: {', '.join(missing)}"


@rule("cb-unbalanced", AuditSeverity.ERROR, "pushes and pops that differ, and nothing says that the pages are kept")
def cb_unbalanced(audited: AuditedLog) -> Iterator[Hit]:
    status = audited.log.metadata.get("status")
    succeeded = status is not None and outlook(status.text) is Outlook.PASSED
    for row in audited.log.of("cb_sync_check"):
        index, balanced, texts = row.text("index"), row.text("balanced"), (row.text("push"), row.text("pop"))
        push, pop = (PageFlow.read(text) for text in texts)
        # Unknown amounts cannot be compared; one side without the other can.
        unknown = (texts[0] and push.amount is None) or (texts[1] and pop.amount is None)
        if (
            unknown
            or push.amount == pop.amount
            or _kept(row, audited.log.buffers.get(index))
            or audited.declares(index)
        ):
            continue
        if not re.match(r"\W*no\b", balanced, re.I) or succeeded:
            pushed, popped = (text or "nothing" for text in texts)
            yield (
                (row.line,),
                f"{index}: pushed {pushed}, popped {popped}, and called {balanced or 'nothing'}; "
                "nothing declares it persistent",
            )


def _kept(row: Entry, buffer: Entry | None) -> bool:
    never_popped = PageFlow.read(row.text("pop")).amount in (None, Amount(frozenset()))
    declared = buffer is not None and (says_kept(buffer.text("purpose")) or says_kept(buffer.text("notes")))
    return any(says_kept(row.text(name)) for name in ("push", "pop", "balanced")) or (never_popped and declared)


def _pushes(audited: AuditedLog) -> Iterator[tuple[Entry, Entry, PageFlow, Amount, Amount]]:
    for row in audited.log.of("cb_sync_check"):
        buffer, push = audited.log.buffers.get(row.text("index")), PageFlow.read(row.text("push"))
        pages = Amount.read(buffer.text("num_pages")) if buffer else None
        if buffer and push.amount and pages and not audited.declares(row.text("index")):
            yield row, buffer, push, push.amount, pages


@rule("cb-overflow", AuditSeverity.ERROR, "more pages pushed at a time than the circular buffer has")
def cb_overflow(audited: AuditedLog) -> Iterator[Hit]:
    for row, buffer, _, amount, pages in _pushes(audited):
        if amount.may_exceed(pages):
            what = f"{row.text('index')} has {buffer.text('num_pages')} pages, and {row.text('push')} are pushed"
            yield (row.line, buffer.line), f"{what}: it blocks"


@rule("cb-pages-unused", AuditSeverity.WARNING, "a circular buffer with more pages than are ever pushed")
def cb_pages_unused(audited: AuditedLog) -> Iterator[Hit]:
    for row, buffer, push, amount, pages in _pushes(audited):
        if push.once and pages.may_exceed(amount):
            what = f"{row.text('index')} has {buffer.text('num_pages')} pages, but is pushed only {row.text('push')}"
            yield (buffer.line, row.line), f"{what}: the rest is never used"


@rule("cb-tables-differ", AuditSeverity.ERROR, "a circular buffer with two page counts or sizes")
def cb_tables_differ(audited: AuditedLog) -> Iterator[Hit]:
    for row in audited.log.of("cb_config"):
        first = audited.log.buffers[row.text("index")]
        for name, what in (("num_pages", "{} pages"), ("page_size", "pages of {}")):
            texts = first.text(name), row.text(name)
            if all(texts) and not same_pages(*map(_plain, texts)):
                here, there = (what.format(text) for text in texts)
                yield (
                    (first.line, row.line),
                    f"{row.text('index')} has {here} on line {first.line} and {there} on line {row.line}",
                )


def _plain(text: str) -> str:
    return text.strip().lower().replace(" ", "_").removesuffix("_size") if "size" in text else text


@rule("cb-count-differs", AuditSeverity.ERROR, "a number of circular buffers that the configuration does not have")
def cb_count_differs(audited: AuditedLog) -> Iterator[Hit]:
    rows = audited.log.buffers
    told = [
        (int(number), said.line)
        for said in audited.log.prose
        for number in re.findall(r"\b(\d+)\s+(?:circular buffers|CBs)\b", said.text)
    ]
    for row in audited.log.of("input_parse"):
        counted = re.match(r"\s*(\d+)", row.text("value"))
        if counted and re.search(r"(cb|circular_buffer)s?_count|num_(cb|circular_buffer)", row.text("field")):
            told.append((int(counted.group(1)), row.line))
    for number, line in told if rows else ():
        if number != len(rows):
            lines = (line, next(iter(rows.values())).line)
            yield lines, f"{number} circular buffers, it says; the configuration has {len(rows)}"


@rule("deviation-undeclared", AuditSeverity.ERROR, "an undeclared difference from the specification's buffers")
def deviation_undeclared(audited: AuditedLog) -> Iterator[Hit]:
    required, configured = audited.requirements, audited.log.buffers
    if not required or not configured:
        return
    denial = [row.line for row in audited.log.of("denial")]
    after = f", and {at_lines(denial)} says there are no deviations" if denial else ", and no deviation says so"
    for index in dict.fromkeys((*required, *configured)):
        want, have = required.get(index), configured.get(index)
        if audited.declares(index):
            continue
        if want is None or have is None:
            what = "is required and not configured" if have is None else "is configured and not required"
            yield (have.line if have else 0, *denial), f"{index} {what}{after}"
            continue
        differences = [
            what.format(have.text(name), want.text(name))
            for name, what in (("num_pages", "{} pages instead of {}"), ("page_size", "pages of {} instead of {}"))
            if have.text(name) and want.text(name) and not same_pages(_plain(have.text(name)), _plain(want.text(name)))
        ]
        if differences:
            yield (have.line, *denial), f"{index} has {' and '.join(differences)}{after}"


@rule("deviation-unproven", AuditSeverity.WARNING, '"no deviations" where nothing shows what was asked for')
def deviation_unproven(audited: AuditedLog) -> Iterator[Hit]:
    if audited.requirements or any(row.text("source") for row in audited.log.of("cb_config")):
        return
    for row in audited.log.of("denial"):
        yield (
            (row.line,),
            "no deviations, it says, but neither the specification's circular buffers nor the source of any figure is "
            "shown (give the specification with --spec to compare)",
        )


@rule("sync-unshown", AuditSeverity.WARNING, "pushes and pops said to match where no table shows them")
def sync_unshown(audited: AuditedLog) -> Iterator[Hit]:
    for said in audited.log.prose if not audited.log.of("cb_sync_check") else ():
        if re.search(r"verified\b.*(push|pop)", said.text, re.I):
            yield (said.line,), "pushes and pops are said to match, but nowhere shown"
