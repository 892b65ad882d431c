# SPDX-License-Identifier: Apache-2.0
"""What breadcrumbs say about circular buffers, and where that leaves the specification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tilewright._logs.amounts import Amount, Flow
from tilewright._logs.breadcrumbs import Crumb
from tilewright._logs.model import Buffer, BufferTable, Deviation, Requirement, Said, SyncRow, SyncTable


@dataclass(frozen=True)
class BufferFacts:
    """What was required, what was configured, what was counted."""

    requirements: tuple[Requirement, ...]
    buffers: tuple[Buffer, ...]
    sync: tuple[SyncRow, ...]

    def tables(self) -> tuple[BufferTable, ...]:
        return (BufferTable("Circular buffers as configured", self.buffers),) if self.buffers else ()

    def sync_tables(self) -> tuple[SyncTable, ...]:
        return (SyncTable("CB synchronization, counted", self.sync),) if self.sync else ()


def buffer_facts(crumbs: Sequence[Crumb]) -> BufferFacts:
    """The last word of the breadcrumbs on each circular buffer. One that was configured and never ran says so."""
    required = _last(crumbs, "cb_requirement")
    configured = _last(crumbs, "cb_config")
    counted = _last(crumbs, "cb_sync_check")
    indices = dict.fromkeys((*configured, *counted))
    return BufferFacts(
        tuple(map(_requirement, required.values())),
        tuple(map(_buffer, configured.values())),
        tuple(_sync_row(counted[index]) if index in counted else _not_run(index) for index in indices),
    )


def _requirement(crumb: Crumb) -> Requirement:
    return Requirement(
        index=crumb.text("index"),
        purpose=crumb.text("purpose"),
        num_pages=crumb.text("num_pages"),
        page_size=crumb.text("page_size"),
        block_size=crumb.text("block_size"),
        producer=crumb.text("producer"),
        consumer=crumb.text("consumer"),
        line=crumb.line,
    )


def _buffer(crumb: Crumb) -> Buffer:
    return Buffer(
        index=crumb.text("index"),
        name=crumb.text("name"),
        page_size=crumb.text("page_size"),
        num_pages=crumb.text("num_pages"),
        data_format=crumb.text("data_format"),
        purpose=crumb.text("purpose"),
        source=crumb.text("source"),
        line=crumb.line,
    )


def _last(crumbs: Iterable[Crumb], event: str) -> dict[str, Crumb]:
    return {crumb.text("index"): crumb for crumb in crumbs if crumb.event == event}


def _not_run(index: str) -> SyncRow:
    return SyncRow(index, push="NOT RUN", pop="NOT RUN", balanced="NOT RUN")


def _sync_row(crumb: Crumb) -> SyncRow:
    push, pop = crumb.text("push"), crumb.text("pop")
    kept = crumb.fields.get("kept") is True
    equal = Flow.read(push).amount == Flow.read(pop).amount
    balanced = "KEPT" if kept else "YES" if equal else "NO"
    ends = crumb.text("producer"), crumb.text("consumer")
    return SyncRow(crumb.text("index"), ends[0], push, ends[1], pop, balanced, crumb.line)


def buffer_deviations(facts: BufferFacts) -> tuple[tuple[Deviation, ...], tuple[Said, ...]]:
    """Where the configuration leaves its requirements; or the statement that it does not, if that was checked."""
    found = [*_against_requirements(facts), *_by_counting(facts)]
    if found or not facts.requirements or not facts.buffers:
        return tuple(found), ()
    return (), (Said(f"None: all {len(facts.buffers)} CBs have the pages the specification asks for."),)


def _against_requirements(facts: BufferFacts) -> Iterable[Deviation]:
    configured = {row.index: row for row in facts.buffers}
    required = {row.index: row for row in facts.requirements}
    if not configured or not required:
        return
    for index, want in required.items():
        have = configured.get(index)
        if have is None:
            yield Deviation(f"{index} is required and not configured")
            continue
        if not same_pages(want.num_pages, have.num_pages):
            yield Deviation(f"{index} has {have.num_pages} pages, the specification asks for {want.num_pages}")
        if want.page_size and want.page_size != have.page_size:
            yield Deviation(f"{index} has pages of {have.page_size}, the specification asks for {want.page_size}")
    for index in configured.keys() - required.keys():
        yield Deviation(f"{index} is configured and not in the specification")


def _by_counting(facts: BufferFacts) -> Iterable[Deviation]:
    pages = {row.index: Amount.read(row.num_pages) for row in facts.buffers}
    for row in facts.sync:
        if row.balanced == "NO":
            yield Deviation(f"{row.index} is not balanced: pushed {row.push}, popped {row.pop}")
        if row.index not in pages:
            yield Deviation(f"{row.index} is used and not configured")
        capacity, push = pages.get(row.index), Flow.read(row.push)
        if not capacity or not push.amount:
            continue
        if push.amount.may_exceed(capacity):
            yield Deviation(f"{row.index} has fewer pages than are pushed at a time: {row.push}")
        elif push.once and capacity.may_exceed(push.amount):
            yield Deviation(f"{row.index} has more pages than are ever pushed: {row.push}")


def same_pages(first: str, second: str) -> bool:
    """Whether two page counts are the same number, however they are written.

    >>> same_pages("2*Wt", "Wt * 2")
    True
    """
    amounts = Amount.read(first), Amount.read(second)
    return amounts[0] == amounts[1] if all(amounts) else first.strip() == second.strip()
