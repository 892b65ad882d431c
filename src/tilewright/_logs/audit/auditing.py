# SPDX-License-Identifier: Apache-2.0
"""The audit of an execution log: its rules, their input and their findings.

>>> [finding.rule for finding in audit_text("# Execution log: scale\\n\\n## Git\\nCommits will be made later.\\n")][-1]
'commit-promised'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog
from tilewright._logs.reading import parse_log
from tilewright._rules import Severity


@dataclass(frozen=True)
class AuditFinding:
    """A mistake in a log: its lines, the first of them as a quote, and the reason.

    An error is a contradiction, a warning an unproven claim, a note a part or a word that the form asks for. A missing
    part, and a fact that a computed log has from no breadcrumb, has no line.
    """

    rule: str
    severity: Severity
    lines: tuple[int, ...]
    quote: str
    why: str


@dataclass(frozen=True)
class AuditedLog:
    """A log under audit and the circular buffers of its specification, if one was given."""

    log: ExecutionLog
    specification: tuple[Entry, ...] = ()

    @property
    def requirements(self) -> dict[str, Entry]:
        """The required circular buffers by index: of the specification, else as the log quotes it."""
        return {row.text("index"): row for row in self.specification or self.log.of("cb_requirement")}

    def declares(self, *words: str) -> bool:
        """Whether a deviation of the log names all these words: a declared deviation is no finding."""
        patterns = [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I) for word in words]
        listed = (" ".join(map(str, row.fields.values())) for row in self.log.of("deviation"))
        return any(all(pattern.search(text) for pattern in patterns) for text in listed)


Hit = tuple[Iterable[int], str]
Check = Callable[[AuditedLog], Iterator[Hit]]


@dataclass(frozen=True)
class AuditRule:
    """One thing an audit looks for."""

    name: str
    severity: Severity
    looks_for: str
    check: Check


RULES: dict[str, AuditRule] = {}


def rule(name: str, severity: Severity, looks_for: str) -> Callable[[Check], Check]:
    """Register a check under a name."""

    def register(check: Check) -> Check:
        RULES[name] = AuditRule(name, severity, looks_for, check)
        return check

    return register


def at_lines(lines: Iterable[int]) -> str:
    """``line 3`` or ``lines 3, 9``."""
    numbers = sorted({line for line in lines if line > 0})
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))


def audit_log(log: ExecutionLog, specification: Sequence[Entry] = (), source: Sequence[str] = ()) -> list[AuditFinding]:
    """Findings about an execution log, in the order of its lines.

    Args:
        specification: the circular buffers it is compared with.
        source: the lines its facts name, to quote them: of the text it was read from, or of its breadcrumbs.
    """
    audited = AuditedLog(log, tuple(specification))
    findings = []
    for each in RULES.values():
        for lines, why in each.check(audited):
            listed = [line for line in lines if 0 < line <= len(source)]
            quote = source[listed[0] - 1].strip() if listed else ""
            findings.append(AuditFinding(each.name, each.severity, tuple(sorted(set(listed))), quote, why))
    return sorted(findings, key=lambda finding: (finding.lines, finding.rule))


def audit_text(text: str, specification: Sequence[Entry] = ()) -> list[AuditFinding]:
    """Findings about an execution log in Markdown."""
    return audit_log(parse_log(text), specification, text.replace("\r\n", "\n").split("\n"))
