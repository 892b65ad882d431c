# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a spec: where, why, and what to write instead."""

from __future__ import annotations

import dataclasses
import difflib
import textwrap
from collections.abc import Iterable, Sequence

from tilewright.device.errors import TilewrightError

_COLUMNS = 80
_NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that makes no sense.

    Attributes:
        rule: its name, as docs/workshop.md lists it.
        line: of the spec.
        cause, cure: what is wrong, and what to write instead.
    """

    rule: str
    line: int
    cause: str
    cure: str

    def as_json(self) -> dict[str, object]:
        return dataclasses.asdict(self)


class SpecError(TilewrightError):
    """A spec that cannot be used: file, line, what is wrong, what to write instead.

    Attributes:
        path, line: where.
        findings: everything found; one where the text cannot even be read.
    """

    exit_status = 2

    def __init__(self, path: str, line: int, cause: str, cure: str, rule: str = "format") -> None:
        self.path = path
        self.line = line
        self.findings: tuple[Finding, ...] = (Finding(rule, line, cause, cure),)
        super().__init__(f"{path}:{line}: {cause}\n  cure: {cure}")


class SpecRefusedError(SpecError):
    """A spec that can be read but makes no sense."""

    def __init__(self, path: str, findings: Sequence[Finding], source: Sequence[str]) -> None:
        first = findings[0]
        super().__init__(path, first.line, first.cause, first.cure, first.rule)
        self.findings = tuple(findings)
        self.args = ("\n".join(["the spec makes no sense yet", *finding_lines(path, findings, source)]),)


def finding_lines(path: str, findings: Iterable[Finding], source: Sequence[str]) -> list[str]:
    """Findings as a compiler prints them: place, rule and cause, the line itself, the cure."""
    lines = []
    for finding in findings:
        # The place and the rule stay together, as editors look for them.
        place = f"{path}:{finding.line}: error[{finding.rule}]:".replace(" ", _NO_BREAK)
        lines += [line.replace(_NO_BREAK, " ") for line in _wrapped(f"{place} {finding.cause}", 4)]
        if 0 < finding.line <= len(source) and source[finding.line - 1].strip():
            quoted = f"{finding.line:>5} | {source[finding.line - 1].strip()}"
            lines.append(quoted if len(quoted) <= _COLUMNS else quoted[: _COLUMNS - 4] + " ...")
        lines += _wrapped(f"      = cure: {finding.cure}", 14)
    return lines


def _wrapped(text: str, indent: int) -> list[str]:
    """Between words only: paths and names stay whole, however long."""
    return textwrap.wrap(text, _COLUMNS, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean mean?`` for a name that is nearly one of those known."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
