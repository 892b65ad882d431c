# SPDX-License-Identifier: Apache-2.0
"""The sync table: which kernels push and pop which circular buffer how often, and whether that adds up.

Read from the record of a run, so it covers reader, compute and writer with the arguments they really had. Cores with
the same traffic are one group.
"""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright._diagnose.deadlock import pages
from tilewright._display.text_table import markdown_table, text_table
from tilewright._record.run import CbTraffic, CbUse, Run, WaitKind
from tilewright.check._finding import Core, some_cores

_TEXT_COLUMNS = ("CB", "by", "pages", "pushed", "popped", "waits", "peak", "left")
_COLUMNS = ("CB", "from", "to", "pages", "pushed", "popped", "waits", "peak", "left", "kind", "balanced")


@dataclasses.dataclass(frozen=True)
class SyncRow:
    """One circular buffer on one group of cores; the numbers are those of each core.

    Attributes:
        pushed, popped: pages in all.
        push_calls, pop_calls, wait_calls: calls of all producers or consumers.
        pushed_per_step, popped_per_step: pages per tile-row (or inferred step); None where it is not a whole number,
            and for buffers that pages do not stream through.
        kind: ``streaming``, ``persistent`` (filled once and used again and again), ``once``,
            ``scratch`` (never pushed) or ``unused``.
        why: in one sentence, why pushes and pops do not balance; empty if they do.
    """

    cb: str
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    num_pages: int
    pushed: int
    popped: int
    push_calls: int
    pop_calls: int
    wait_calls: int
    pushed_per_step: int | None
    popped_per_step: int | None
    peak: int
    left_over: int
    kind: str
    why: str

    @property
    def is_balanced(self) -> bool:
        return not self.why


@dataclasses.dataclass(frozen=True)
class SyncGroup:
    """Cores with the same traffic, and how many steps (tile-rows) each did; 1 where none can be inferred."""

    cores: tuple[Core, ...]
    steps: int
    step_name: str
    rows: tuple[SyncRow, ...]

    @property
    def title(self) -> str:
        if self.steps == 1:
            return f"{some_cores(self.cores)}: 1 {self.step_name}"
        inferred = " (inferred)" if self.step_name == _INFERRED else ""
        return f"{some_cores(self.cores)}: {self.steps} {self.step_name}s each{inferred}"


@dataclasses.dataclass(frozen=True)
class SyncTable:
    """All groups of a program.

    Example::

        result = tilewright.check_program([x, y], program)
        print(result.sync_table.text())
    """

    groups: tuple[SyncGroup, ...]

    def text(self, width: int = 80) -> str:
        lines: list[str] = []
        for group in self.groups:
            names = {name: number for number, name in enumerate(_kernels(group), 1)}
            lines += [f"sync table {group.title}", *text_table(_TEXT_COLUMNS, _text_cells(group, names), width)]
            lines.append("  kernels: " + ", ".join(f"{number} {name}" for name, number in names.items()))
            for row in group.rows:
                if remark := _remark(row):
                    lines += textwrap.wrap(f"  {row.cb}: {remark}", width, subsequent_indent="    ")
            lines.append("")
        return "\n".join(lines).rstrip()

    def markdown(self) -> str:
        lines: list[str] = []
        for group in self.groups:
            lines += [f"### Sync table {group.title}", "", *markdown_table(_COLUMNS, _cells(group)), ""]
            unbalanced = [f"- {row.cb}: {row.why}" for row in group.rows if row.why]
            lines += [*unbalanced, ""] if unbalanced else []
        return "\n".join(lines).rstrip()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dataclasses.asdict(self)


def _remark(row: SyncRow) -> str:
    """Remarks of a row: how it is used, unless pages stream through it, and what is not balanced."""
    return "; ".join(part for part in ("" if row.kind == "streaming" else row.kind, row.why) if part)


def _kernels(group: SyncGroup) -> list[str]:
    return list(dict.fromkeys(name for row in group.rows for name in (*row.producers, *row.consumers)))


def _text_cells(group: SyncGroup, names: Mapping[str, int]) -> list[list[str]]:
    """The narrower table of a terminal: kernels by number, the rest as remarks below."""

    def numbers(kernels: Sequence[str]) -> str:
        return "+".join(str(names[name]) for name in kernels) or "-"

    return [
        [cell[0], f"{numbers(row.producers)} > {numbers(row.consumers)}", *cell[3:9]]
        for cell, row in zip(_cells(group), group.rows, strict=True)
    ]


def _cells(group: SyncGroup) -> list[list[str]]:
    def amount(total: int, per_step: int | None) -> str:
        return f"{total} ({per_step}/{_SHORT[group.step_name]})" if per_step and group.steps > 1 else str(total)

    return [
        [
            row.cb,
            "+".join(row.producers) or "-",
            "+".join(row.consumers) or "-",
            str(row.num_pages),
            amount(row.pushed, row.pushed_per_step),
            amount(row.popped, row.popped_per_step),
            str(row.wait_calls),
            str(row.peak),
            str(row.left_over),
            row.kind,
            "yes" if row.is_balanced else "no",
        ]
        for row in group.rows
    ]


_INFERRED = "step"
_SHORT = {"tile-row": "row", _INFERRED: "step"}


def make_sync_table(run: Run, steps: Mapping[Core, int] | None = None) -> SyncTable:
    """The table of a run.

    Args:
        steps: tile-rows of each core, where the program comes from an operation; inferred without.
    """
    traffic: dict[Core, list[CbTraffic]] = defaultdict(list)
    for each in run.traffic:
        traffic[each.core].append(each)
    uses: dict[Core, list[CbUse]] = defaultdict(list)
    for use in run.circular_buffers:
        uses[use.core].append(use)
    groups: dict[tuple[int, tuple[SyncRow, ...]], list[Core]] = defaultdict(list)
    for core in sorted(uses, key=lambda each: (each[1], each[0])):
        count = steps.get(core, 1) if steps is not None else _inferred_steps(traffic[core])
        rows = tuple(_row(run, use, traffic[core], count) for use in sorted(uses[core], key=lambda use: use.index))
        groups[count, rows].append(core)
    name = _INFERRED if steps is None else "tile-row"
    made = [SyncGroup(tuple(cores), count, name, rows) for (count, rows), cores in groups.items()]
    return SyncTable(tuple(made))


def _inferred_steps(traffic: Sequence[CbTraffic]) -> int:
    """The largest number of equal rounds that all kernels' calls divide into; buffers filled once do not count."""
    calls = [count for each in traffic for count in (each.push_calls, each.pop_calls) if count > 1]
    return math.gcd(*calls) if calls else 1


def _row(run: Run, use: CbUse, traffic: Sequence[CbTraffic], steps: int) -> SyncRow:
    mine = [each for each in traffic if each.cb == use.index]
    producers = [each for each in mine if each.push_calls or each.reserve_calls]
    consumers = [each for each in mine if each.pop_calls or each.wait_calls]
    push_calls = sum(each.push_calls for each in producers)
    pop_calls = sum(each.pop_calls for each in consumers)
    wait_calls = sum(each.wait_calls for each in consumers)
    kind = _kind(use, wait_calls, pop_calls, steps) if mine else "unused"
    # What is filled once does not belong to any of the steps, even where the numbers divide.
    shared = steps if kind == "streaming" else 0
    return SyncRow(
        cb=run.cb_label(use.index),
        producers=tuple(run.kernel_label(each.kernel) for each in producers),
        consumers=tuple(run.kernel_label(each.kernel) for each in consumers),
        num_pages=use.num_pages,
        pushed=use.pushed,
        popped=use.popped,
        push_calls=push_calls,
        pop_calls=pop_calls,
        wait_calls=wait_calls,
        pushed_per_step=_per_step(use.pushed, shared),
        popped_per_step=_per_step(use.popped, shared),
        peak=use.peak,
        left_over=use.left_over,
        kind=kind,
        why=_imbalance(run, use, consumers),
    )


def _per_step(total: int, steps: int) -> int | None:
    return total // steps if steps and total % steps == 0 else None


def _kind(use: CbUse, wait_calls: int, pop_calls: int, steps: int) -> str:
    if use.pushed == 0:
        return "scratch"
    if use.pushed != use.peak or pop_calls > 1:
        return "streaming"
    if use.left_over or (wait_calls > 1 and steps > 1):
        return "persistent"
    # What one step fills and drains streams, however often the step waits for it.
    return "once" if steps > 1 else "streaming"


def _stuck_at(run: Run, use: CbUse) -> str:
    """Kernels that wait at the buffer for ever, in a run that did not end."""
    sides = {WaitKind.CB_WAIT_FRONT: ("for", "there"), WaitKind.CB_RESERVE_BACK: ("for room for", "free")}
    parts = [
        f"{run.kernel_label(each.kernel)} still waits {sides[each.wait_kind][0]} {pages(each.wait_amount)}, "
        f"{each.wait_have} {sides[each.wait_kind][1]}"
        for each in run.positions
        if each.core == use.core and each.wait_kind in sides and each.wait_cb == use.index
    ]
    return " and ".join(parts)


def _imbalance(run: Run, use: CbUse, consumers: Sequence[CbTraffic]) -> str:
    names = " and ".join(run.kernel_label(each.kernel) for each in consumers)
    if use.pushed == 0 and consumers:
        return f"{names} waits for pages and none is ever pushed"
    stuck = _stuck_at(run, use)
    if stuck:
        return stuck
    if use.pushed == use.popped:
        return ""
    if not consumers:
        return f"{pages(use.pushed)} pushed and no kernel on this core waits for or pops any"
    if use.popped == 0:
        return f"{names} waits for the {pages(use.pushed)} and pops none"
    return f"{names} pops {use.popped} of the {pages(use.pushed)}, so {use.left_over} stay"
