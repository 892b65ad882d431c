# SPDX-License-Identifier: Apache-2.0
"""Silencing one finding at one place, with a reason.

A comment in the kernel, on the line of the finding or alone on the line above it::

    cb_wait_front(cb_out, 1);  // tilewright: allow cb-left-over: the host reads the last pages

In Python kernels it begins with ``#``. Without a reason it does not count.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from tilewright.check.finding import Finding

_COMMENT = re.compile(r"(?://|#|/\*)\s*tilewright:\s*allow\s+([a-z0-9-]+)\s*(?::\s*(.*?))?\s*(?:\*/)?\s*$")
_ONLY_COMMENT = re.compile(r"\s*(?://|#|/\*)")


@dataclasses.dataclass(frozen=True)
class SilencedFinding:
    """A finding that a comment in the kernel allows."""

    finding: Finding
    reason: str


def separate_silenced(findings: Iterable[Finding]) -> tuple[list[Finding], list[SilencedFinding]]:
    """Findings that stand, and those that a comment allows."""
    standing: list[Finding] = []
    silenced: list[SilencedFinding] = []
    for finding in findings:
        reason = _reason(finding)
        if reason:
            silenced.append(SilencedFinding(finding, reason))
        elif reason is None:
            standing.append(finding)
        else:
            unsaid = "its `tilewright: allow` comment has no reason after the rule's name, so it does not count"
            standing.append(dataclasses.replace(finding, numbers=f"{finding.numbers} ({unsaid})"))
    return standing, silenced


def _reason(finding: Finding) -> str | None:
    """Why the finding is allowed; empty where a comment forgot to say, None where there is no comment."""
    reasons = [_reason_at(finding.rule, finding.path, finding.line)]
    if finding.called_from is not None:
        reasons.append(_reason_at(finding.rule, *finding.called_from))
    found = [reason for reason in reasons if reason is not None]
    return max(found, key=len) if found else None


def _reason_at(rule: str, path: str, line: int) -> str | None:
    if line < 1 or not path:
        return None
    lines = _lines(path)
    candidates = lines[line - 1 : line]
    above = lines[line - 2 : line - 1] if line > 1 else ()
    candidates += tuple(text for text in above if _ONLY_COMMENT.match(text))
    for text in candidates:
        comment = _COMMENT.search(text)
        if comment is not None and comment.group(1) == rule:
            return comment.group(2) or ""
    return None


@functools.lru_cache(maxsize=64)
def _lines_of(path: str, changed: int) -> tuple[str, ...]:
    return tuple(Path(path).read_text(errors="replace").splitlines())


def _lines(path: str) -> tuple[str, ...]:
    try:
        return _lines_of(path, Path(path).stat().st_mtime_ns)
    except OSError:
        return ()
