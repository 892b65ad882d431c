# SPDX-License-Identifier: Apache-2.0
"""The checker's report: findings in all launches of a script, a test or an operation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tilewright._rules import RULES, Severity
from tilewright.check._finding import Finding, merge_findings
from tilewright.check._observer import CheckedLaunch
from tilewright.check._silence import SilencedFinding

_MOST_BRIEF = 5


@dataclasses.dataclass(frozen=True)
class Report:
    """Findings of several launches, the same one said once."""

    launches: int
    findings: list[Finding]
    notes: list[Finding]
    silenced: list[SilencedFinding]
    # Type and message of what launches, or the whole, ended with.
    errors: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    not_run: int = 0  # launches that never began: a kernel that does not compile
    ended: tuple[str, str] | None = None  # what the whole ended with, where that is no launch's error

    @classmethod
    def of(
        cls, results: Sequence[CheckedLaunch], further: Sequence[Finding] = (), failed: BaseException | None = None
    ) -> Report:
        """Findings of several checks, further findings about all of them, and what the whole ended with."""
        errors = [result.error for result in results if result.error is not None and result.was_run]
        ended = None if failed is None else (type(failed).__name__, str(failed))
        ended = None if ended in errors else ended
        reasons = {each.finding: each.reason for result in results for each in result.silenced}
        silenced = {(each.rule, each.path, each.line): each for each in reasons}
        return cls(
            sum(result.was_run for result in results),
            merge_findings([*(finding for result in results for finding in result.findings), *further]),
            merge_findings(finding for result in results for finding in result.notes),
            [SilencedFinding(finding, reasons[finding]) for finding in silenced.values()],
            [*errors, *([ended] if ended else [])],
            sum(not result.was_run for result in results),
            ended,
        )

    @property
    def summary(self) -> str:
        """One line.

        >>> Report(1, [], [], []).summary
        '1 launch checked: nothing found'
        >>> Report(1, [], [], [], not_run=1).summary
        '1 launch checked, 1 could not be run: nothing found'
        >>> Report(0, [], [], [], ended=("ValueError", "of its own")).summary
        'no launch checked: it ended with ValueError: of its own'
        >>> Report(1, [], [], [], ended=("ValueError", "of its own")).summary
        '1 launch checked: nothing found; then it ended with ValueError: of its own'
        """
        counts = {
            severity: sum(finding.severity is severity for finding in (*self.findings, *self.notes))
            for severity in Severity
        }
        parts = [_plural(count, str(severity)) for severity, count in counts.items() if count]
        if self.silenced:
            parts.append(f"{len(self.silenced)} silenced")
        not_run = f", {self.not_run} could not be run" if self.not_run else ""
        ended = ""
        if self.ended:
            kind, message = self.ended
            ended = f"it ended with {kind}: {message.splitlines()[0] if message else ''}"
        if not self.launches and not parts and ended:
            return f"no launch checked{not_run}: {ended}"
        found = ", ".join(parts) or "nothing found"
        return f"{_plural(self.launches, 'launch')} checked{not_run}: {found}" + (f"; then {ended}" if ended else "")

    def text(self, width: int = 80) -> str:
        blocks = [finding.text(width) for finding in (*self.findings, *self.notes)]
        return "\n\n".join([*blocks, self.summary])

    def brief(self) -> str:
        """The first findings in a line each, for agents, who pay for every word."""
        found = [*self.findings, *self.notes]
        left_out = [f"... {len(found) - _MOST_BRIEF} more"] if len(found) > _MOST_BRIEF else []
        return "\n".join([*(finding.brief() for finding in found[:_MOST_BRIEF]), *left_out, self.summary])

    def markdown(self) -> str:
        lines = ["## Findings", ""]
        for finding in (*self.findings, *self.notes):
            title = RULES[finding.rule].title
            lines += [f"### {finding.severity}: `{finding.rule}` ({title})", ""]
            lines += [": ".join(part for part in (finding.where(code="`"), finding.numbers) if part), ""]
            lines += [f"- Cause: {finding.cause}", f"- Cure: {finding.cure}", ""]
        return "\n".join([*lines, self.summary])

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "launches": self.launches,
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [finding.as_dict() for finding in self.notes],
            "error": dict(zip(("type", "message"), self.errors[0], strict=True)) if self.errors else None,
            "silenced": [{**each.finding.as_dict(), "reason": each.reason} for each in self.silenced],
        }


def _plural(count: int, word: str) -> str:
    if count == 1:
        return f"1 {word}"
    return f"{count} {word}es" if word.endswith("ch") else f"{count} {word}s"
