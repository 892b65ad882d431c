# SPDX-License-Identifier: Apache-2.0
"""Rules of the audit, what they are given, and what they find."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog


class AuditSeverity(enum.Enum):
    """How much a finding weighs."""

    ERROR = "error"  # the log contradicts itself or its specification
    WARNING = "warning"  # a claim that nothing in the log proves
    NOTE = "note"  # a part or a word that the form asks for


@dataclass(frozen=True)
class AuditFinding:
    """One contradiction or unproven claim: the lines it stands on, the first of them as a quote, and why.

    What is missing, and what a computed log has from no breadcrumb, stands on no line.
    """

    rule: str
    severity: AuditSeverity
    lines: tuple[int, ...]
    quote: str
    why: str


@dataclass(frozen=True)
class AuditedLog:
    """A log under audit, the circular buffers of its specification if one was given, and the lines of the file that
    its facts stand in: the log, or the breadcrumbs it was computed from."""

    log: ExecutionLog
    specification: tuple[Entry, ...] = ()
    source: tuple[str, ...] = ()

    @property
    def requirements(self) -> dict[str, Entry]:
        """The circular buffers asked for by index: by the specification given, else as the log quotes it."""
        return {row.text("index"): row for row in self.specification or self.log.of("cb_requirement")}

    def declares(self, *words: str) -> bool:
        """Whether a deviation of the log names all these words: what a log declares is not held against it."""
        return any(
            all(
                re.search(rf"(?<!\w){re.escape(word)}(?!\w)", " ".join(map(str, row.fields.values())), re.I)
                for word in words
            )
            for row in self.log.of("deviation")
        )


Hit = tuple[Iterable[int], str]
Check = Callable[[AuditedLog], Iterator[Hit]]


@dataclass(frozen=True)
class AuditRule:
    """One thing an audit looks for."""

    name: str
    severity: AuditSeverity
    looks_for: str
    check: Check

    def findings(self, audited: AuditedLog) -> Iterator[AuditFinding]:
        for lines, why in self.check(audited):
            told = [line for line in lines if 0 < line <= len(audited.source)]
            quote = audited.source[told[0] - 1].strip() if told else ""
            yield AuditFinding(self.name, self.severity, tuple(sorted(set(told))), quote, why)


RULES: dict[str, AuditRule] = {}


def rule(name: str, severity: AuditSeverity, looks_for: str) -> Callable[[Check], Check]:
    """Register a check under a name."""

    def register(check: Check) -> Check:
        RULES[name] = AuditRule(name, severity, looks_for, check)
        return check

    return register


def at_lines(lines: Iterable[int]) -> str:
    """``line 3`` or ``lines 3, 9``."""
    numbers = sorted({line for line in lines if line > 0})
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))
