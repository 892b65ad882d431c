# SPDX-License-Identifier: Apache-2.0
"""Timing on a machine that others use too: candidates take turns, the best of several counts."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, against what, and the limit it must keep.

    ``ratio`` is ours over theirs where there is a rival, else the figure itself; it must not pass ``limit``.
    """

    name: str
    ours: str
    theirs: str
    ratio: float
    limit: float

    @property
    def kept(self) -> bool:
        return self.ratio <= self.limit


def best_of_turns(candidates: dict[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """Best seconds of each candidate; in every turn each of them runs once."""
    return best_said({name: functools.partial(_timed, candidate) for name, candidate in candidates.items()}, turns)


def best_said(candidates: dict[str, Callable[[], float]], turns: int) -> dict[str, float]:
    """The same for candidates that say themselves how many seconds count."""
    best = dict.fromkeys(candidates, float("inf"))
    for candidate in candidates.values():
        candidate()  # caches warm, kernels compiled
    for _ in range(turns):
        for name, candidate in candidates.items():
            best[name] = min(best[name], candidate())
    return best


def _timed(candidate: Callable[[], object]) -> float:
    begin = time.perf_counter()
    candidate()
    return time.perf_counter() - begin


def milliseconds(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e3:.2f} ms"
    return f"{seconds * 1e3:.1f} ms" if seconds < 10 else f"{seconds:.1f} s"


def print_table(rows: list[Row]) -> None:
    """The table as Markdown, so that it can stand in the documentation as it is."""
    cells = [("what", "tilewright", "against", "ratio", "limit", "")]
    cells += [
        (row.name, row.ours, row.theirs, f"{row.ratio:.3g}", f"{row.limit:.3g}", "" if row.kept else "MISSED")
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(6)]
    for number, line in enumerate(cells):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
