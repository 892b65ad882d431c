# SPDX-License-Identifier: Apache-2.0
"""What a rule is given, and what it gives back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tilewright._logs.model import ExecutionLog, Requirement


@dataclass(frozen=True)
class Finding:
    """One contradiction or unproven claim: the rule, the lines it stands on, the telling one of them, and why.

    What is missing, and what a computed log has from no breadcrumb, stands on no line.
    """

    rule: str
    lines: tuple[int, ...]
    quote: str
    why: str


@dataclass(frozen=True)
class Case:
    """A log under audit: what it says, the specification it is held against, if one was given, and the lines of the
    file that its facts stand in: the log, or the breadcrumbs it was computed from."""

    log: ExecutionLog
    specification: tuple[Requirement, ...] = ()
    source: tuple[str, ...] = ()

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The circular buffers that were asked for: by the specification given, else as the log quotes it."""
        return self.specification or self.log.requirements

    def declared(self, *words: str) -> bool:
        """Whether a deviation of the log names all these words: what a log declares is not held against it."""
        return any(
            all(
                re.search(rf"(?<!\w){re.escape(word)}(?!\w)", f"{entry.what} {entry.why} {entry.impact}", re.I)
                for word in words
            )
            for entry in self.log.deviations
        )


Hit = tuple[Iterable[int], str]
Check = Callable[[Case], Iterator[Hit]]


@dataclass(frozen=True)
class Rule:
    """One thing an audit looks for."""

    name: str
    looks_for: str
    check: Check

    def findings(self, case: Case) -> Iterator[Finding]:
        for lines, why in self.check(case):
            told = [line for line in lines if 0 < line <= len(case.source)]
            quote = case.source[told[0] - 1].strip() if told else ""
            yield Finding(self.name, tuple(sorted(set(told))), quote, why)


RULES: dict[str, Rule] = {}


def rule(name: str, looks_for: str) -> Callable[[Check], Check]:
    """Registers a check under a name."""

    def register(check: Check) -> Check:
        RULES[name] = Rule(name, looks_for, check)
        return check

    return register


def at_lines(lines: Iterable[int]) -> str:
    """``line 3`` or ``lines 3, 9``."""
    numbers = sorted({line for line in lines if line > 0})
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))
