# SPDX-License-Identifier: Apache-2.0
"""A finding: a rule broken at one place of a program, on however many cores."""

from __future__ import annotations

import dataclasses
import operator
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tilewright._card.systems.chip_names import with_chips
from tilewright._diagnose.core_names import core_rectangles, name_cores
from tilewright._display.notebook import card, paragraph
from tilewright._rules import RULES, Severity

Core = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Place:
    """A line of a kernel."""

    kernel: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.kernel} {Path(self.path).name}:{self.line}"


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        rule: id of the rule, see ``docs/checks/``.
        kernel: name of the kernel; empty where it is about the whole program.
        path: source file; empty where there is none.
        line: line in it; 0 where it is about the whole file.
        called_from: file and line of the kernel itself, where ``path`` is a helper's.
        cores: every core it was found on.
        cb: index and name of the circular buffer, where it is about one.
        address: of the memory it is about; 0 if none.
        numbers: who, what and how many, the first time.
        cause: why it is wrong, one sentence.
        cure: what to change, one sentence.
        count: how often, on all cores together.
        seed: the order of events it shows in; 0 is the usual one.
        related: the other place it is about: where a transfer was issued, where another kernel stored.
        positions: where the kernels of the cores stood, a line each, where they stopped.
        consequences: findings that follow from this one.
        operation: of ttnn, that launched the program the first time; empty where it is not known.
        rows_of_chip: rows of cores that each of several chips has; 0 where there is one chip.
    """

    rule: str
    kernel: str
    path: str
    line: int
    called_from: tuple[str, int] | None
    cores: tuple[Core, ...]
    cb: str | None
    address: int
    numbers: str
    cause: str
    cure: str
    count: int = 1
    seed: int = 0
    related: Place | None = None
    positions: tuple[str, ...] = ()
    consequences: tuple[Finding, ...] = ()
    operation: str = ""
    rows_of_chip: int = 0

    @property
    def severity(self) -> Severity:
        return RULES[self.rule].severity

    @property
    def place(self) -> str:
        """File and line, e.g. ``reader.cpp:12``."""
        return f"{Path(self.path).name}:{self.line}" if self.line else Path(self.path).name

    def where(self, code: str = "") -> str:
        """Kernel, line, circular buffer, cores, how often and in which order; file and line between ``code`` marks."""
        helper = f"(called from {Path(self.called_from[0]).name}:{self.called_from[1]})" if self.called_from else ""
        place = f"{code}{self.place}{code} {helper}".strip() if self.place else ""
        about = [self.operation, self.kernel, place, self.cb or "", self._cores()]
        where = "  ".join(part for part in about if part)
        if self.count > max(1, len(self.cores)):
            where += f", {self.count} times"
        return where + (f", with seed {self.seed}" if self.seed else "")

    def _cores(self) -> str:
        return with_chips(some_cores(self.cores), self.rows_of_chip) if self.rows_of_chip else some_cores(self.cores)

    def with_chips(self, rows: int) -> Finding:
        """The finding with the chip of every core that it names; a chip has so many rows."""
        named = with_chips(self.numbers, rows)
        positions = tuple(with_chips(each, rows) for each in self.positions)
        return dataclasses.replace(self, numbers=named, positions=positions, rows_of_chip=rows)

    def as_dict(self) -> dict[str, Any]:
        """For JSON. Cores are rectangles, each by its first and its last core."""
        return {
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            "cores": [list(map(list, rectangle)) for rectangle in core_rectangles(self.cores)],
            "related": None if self.related is None else dataclasses.asdict(self.related),
            "consequences": [finding.as_dict() for finding in self.consequences],
            "severity": str(self.severity),
        }

    def brief(self) -> str:
        """The finding for an agent, in one line: rule, place, numbers, cure."""
        numbers = textwrap.shorten(" ".join(self.numbers.split()), 300, placeholder=" ...")
        where = " ".join(self.where().split())
        return f"{self.severity} {self.rule}: {where}: {numbers} Cure: {self.cure}"

    def text(self, width: int = 80) -> str:
        """The finding as text, in lines of at most ``width`` characters.

        Example::

            error  noc-push-in-flight
              reader  reader.cpp:12  c_0 in  on core (0,0) and 63 more, 256 times
              cb_push_back(c_0, 1) while a read of 2048 bytes into the page is in flight
              cause: A read has landed only after noc_async_read_barrier.
              cure:  Call noc_async_read_barrier before cb_push_back.
        """
        lines = [f"{self.severity}  {self.rule}"]
        lines += _wrapped(self.where(), "  ", width)
        lines += _wrapped(self.numbers, "  ", width)
        if self.related is not None:
            lines += _wrapped(f"other place: {self.related}", "  ", width)
        for position in self.positions:
            lines += _wrapped(position.strip(), "    ", width, "      ")
        if self.cause != self.numbers:
            lines += _wrapped(f"cause: {self.cause}", "  ", width, "         ")
        lines += _wrapped(f"cure:  {self.cure}", "  ", width, "         ")
        for finding in self.consequences:
            lines += _wrapped(f"so: {finding.rule}  {finding.where()}", "  ", width, "      ")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cause = [] if self.cause == self.numbers else [paragraph(f"cause: {self.cause}")]
        related = [] if self.related is None else [paragraph(f"other place: {self.related}")]
        return card(
            f"{self.severity} {self.rule}",
            paragraph(self.where()),
            paragraph(self.numbers),
            *related,
            *map(paragraph, self.positions),
            *cause,
            paragraph(f"cure: {self.cure}"),
        )


def _wrapped(text: str, indent: str, width: int, further: str | None = None) -> list[str]:
    lines = []
    for line in text.splitlines():
        lines += textwrap.wrap(
            line,
            max(width, 40),
            initial_indent=indent,
            subsequent_indent=further or indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def some_cores(cores: Sequence[Core]) -> str:
    """Cores in words.

    >>> some_cores([(0, 0), (1, 0)])
    'on cores (0,0)-(1,0)'
    """
    return f"on {name_cores(cores)}" if cores else ""


def merge_findings(findings: Iterable[Finding], *, count: Callable[[int, int], int] = operator.add) -> list[Finding]:
    """The same finding on many cores is one; worst first, then in the order they were found.

    Args:
        count: what becomes of how often two of them were seen: the sum, or the larger where both are of one program.
    """
    merged: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.rule, finding.kernel, finding.path, finding.line, finding.called_from, finding.cb)
        known = merged.get(key)
        if known is None:
            merged[key] = finding
            continue
        cores = tuple(dict.fromkeys(known.cores + finding.cores))
        merged[key] = dataclasses.replace(known, cores=cores, count=count(known.count, finding.count))
    return sorted(merged.values(), key=lambda finding: finding.severity)
