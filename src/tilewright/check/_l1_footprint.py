# SPDX-License-Identifier: Apache-2.0
"""L1 footprint: bytes of each circular buffer on each core, against what a core has."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tilewright._display.text_table import markdown_table, text_table
from tilewright._launch.observer import Launch
from tilewright._program.circular_buffer import CBDescriptor
from tilewright._record.run import Run
from tilewright.check._finding import Core, some_cores


@dataclasses.dataclass(frozen=True)
class FootprintRow:
    """One circular buffer.

    Attributes:
        formula: pages, in Wt (tiles of a row) and B (tiles of a block), where an operation gives it.
        peak: most pages that were ever in use on any core, reserved ones included; None where nothing ran.
        smallest: pages with which the program still ends with the same result; None where they were not searched for.
        in_tensor: the buffer lies in a tensor and takes no room of its own.
    """

    cb: str
    pages: int
    page_bytes: int
    total_bytes: int
    formula: str
    peak: int | None
    smallest: int | None
    in_tensor: bool


@dataclasses.dataclass(frozen=True)
class FootprintGroup:
    """Cores with the same circular buffers."""

    cores: tuple[Core, ...]
    rows: tuple[FootprintRow, ...]
    total_bytes: int
    budget: int

    @property
    def smallest_bytes(self) -> int | None:
        """Bytes with every buffer at its smallest depth; None where they were not searched for."""
        if all(row.smallest is None for row in self.rows):
            return None
        return sum(
            row.total_bytes if row.smallest is None else row.smallest * row.page_bytes
            for row in self.rows
            if not row.in_tensor
        )


@dataclasses.dataclass(frozen=True)
class L1Footprint:
    """The circular buffers of a program, by groups of cores.

    Example::

        result = tilewright.check_program([x, y], program)
        print(result.l1_footprint().text())
    """

    groups: tuple[FootprintGroup, ...]

    def text(self, width: int = 80) -> str:
        lines: list[str] = []
        for group in self.groups:
            head, cells = _cells(group)
            lines += [f"L1 footprint {some_cores(group.cores)}", *text_table(head, cells, width)]
            lines += [f"  {sentence}" for sentence in _sentences(group)]
            lines.append("")
        return "\n".join(lines).rstrip()

    def markdown(self) -> str:
        lines: list[str] = []
        for group in self.groups:
            head, cells = _cells(group)
            lines += [f"### L1 footprint {some_cores(group.cores)}", "", *markdown_table(head, cells), ""]
            lines += [*(f"- {sentence}" for sentence in _sentences(group)), ""]
        return "\n".join(lines).rstrip()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dataclasses.asdict(self)


def _cells(group: FootprintGroup) -> tuple[list[str], list[list[str]]]:
    head = ["CB", "pages", "page bytes", "bytes", "peak"]
    has_formula = any(row.formula for row in group.rows)
    has_smallest = any(row.smallest is not None for row in group.rows)
    head += ["formula"] * has_formula + ["smallest"] * has_smallest
    cells = []
    for row in group.rows:
        line = [row.cb, str(row.pages), str(row.page_bytes), f"{row.total_bytes:,}"]
        line.append("-" if row.peak is None else str(row.peak))
        line += [row.formula] * has_formula
        line += ["-" if row.smallest is None else str(row.smallest)] * has_smallest
        cells.append(line)
    return head, cells


def _sentences(group: FootprintGroup) -> list[str]:
    share = 100 * group.total_bytes / group.budget
    sentences = [f"{group.total_bytes:,} of {group.budget:,} bytes ({share:.1f} %)"]
    for row in group.rows:
        if row.in_tensor:
            sentences.append(f"{row.cb} lies in a tensor and takes no room of its own")
        elif row.peak is not None and row.peak < row.pages:
            sentences.append(f"{row.cb} never uses more than {row.peak} of its {row.pages} pages")
    smallest = group.smallest_bytes
    if smallest is not None:
        sentences.append(f"the smallest depths that still end with the same result take {smallest:,} bytes")
    return sentences


def make_footprint(
    launch: Launch,
    run: Run | None = None,
    formulas: Mapping[int, str] | None = None,
    smallest: Mapping[int, int] | None = None,
) -> L1Footprint:
    """The footprint of a launch's program.

    Args:
        run: for the peaks.
        formulas: pages by buffer index, where an operation gives them.
        smallest: pages by position in ``program.cbs``, from ``smallest_depths``.
    """
    program = launch.program
    peaks: dict[tuple[int, Core], int] = {}
    if run is not None:
        peaks = {(use.index, use.core): use.peak for use in run.circular_buffers}
        for each in run.traffic:  # of a buffer that is never pushed the reserved pages count
            peaks[each.cb, each.core] = max(peaks[each.cb, each.core], each.largest_reserve)
    on_core: dict[Core, list[int]] = defaultdict(list)
    for position, cb in enumerate(program.cbs):
        for where in cb.core_ranges:
            on_core[where.x, where.y].append(position)
    grouped: dict[tuple[int, ...], list[Core]] = defaultdict(list)
    for core in sorted(on_core, key=lambda each: (each[1], each[0])):
        grouped[tuple(on_core[core])].append(core)
    budget = launch.circular_buffers_end - launch.chip.arch.l1_unreserved_base
    groups = []
    for positions, cores in grouped.items():
        rows = tuple(
            _row(program.cbs[position], cores, peaks, formulas or {}, (smallest or {}).get(position))
            for position in positions
        )
        total = sum(row.total_bytes for row in rows if not row.in_tensor)
        groups.append(FootprintGroup(tuple(cores), rows, total, budget))
    return L1Footprint(tuple(groups))


def _row(
    cb: CBDescriptor,
    cores: list[Core],
    peaks: Mapping[tuple[int, Core], int],
    formulas: Mapping[int, str],
    smallest: int | None,
) -> FootprintRow:
    formats = list(cb.format_descriptors)
    page_bytes = min((each.page_size for each in formats), default=cb.total_size)
    used = [
        peaks[each.buffer_index, core] * each.page_size // page_bytes
        for each in formats
        for core in cores
        if (each.buffer_index, core) in peaks
    ]
    return FootprintRow(
        cb=cb.label,
        pages=cb.total_size // page_bytes,
        page_bytes=page_bytes,
        total_bytes=cb.total_size,
        formula=next((formulas[each.buffer_index] for each in formats if each.buffer_index in formulas), ""),
        peak=max(used) if used else None,
        smallest=smallest,
        in_tensor=cb.is_over_tensor(),
    )
