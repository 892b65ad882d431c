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
from collections.abc import Iterable, Iterator
from pathlib import Path

from tilewright._rules import RULES
from tilewright.check._finding import Finding

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
            continue
        if reason is None:
            problem = _unknown_rule(finding)
        else:
            problem = "its `tilewright: allow` comment has no reason after the rule's name, so it does not count"
        standing.append(
            dataclasses.replace(finding, numbers=f"{finding.numbers} ({problem})") if problem is not None else finding
        )
    return standing, silenced


def _reason(finding: Finding) -> str | None:
    """Why the finding is allowed; empty where a comment forgot to say, None where there is no comment."""
    found = [reason for rule, reason in _comments(finding) if rule == finding.rule]
    return max(found, key=len) if found else None


def _unknown_rule(finding: Finding) -> str | None:
    unknown = next((rule for rule, _ in _comments(finding) if rule not in RULES), None)
    return f"its `tilewright: allow` comment names {unknown}, which is no rule" if unknown is not None else None


def _comments(finding: Finding) -> Iterator[tuple[str, str]]:
    """Rule and reason of the comments where the finding is, and where that was called from."""
    yield from _comments_at(finding.path, finding.line)
    if finding.called_from is not None:
        yield from _comments_at(*finding.called_from)


def _comments_at(path: str, line: int) -> Iterator[tuple[str, str]]:
    if line < 1 or not path:
        return
    lines = _lines(path)
    candidates = lines[line - 1 : line]
    above = lines[line - 2 : line - 1] if line > 1 else ()
    candidates += tuple(text for text in above if _ONLY_COMMENT.match(text))
    for text in candidates:
        comment = _COMMENT.search(text)
        if comment is not None:
            yield comment.group(1), comment.group(2) or ""


@functools.lru_cache(maxsize=64)
def _lines_of(path: str, changed: int) -> tuple[str, ...]:
    return tuple(Path(path).read_text(errors="replace").splitlines())


def _lines(path: str) -> tuple[str, ...]:
    try:
        return _lines_of(path, Path(path).stat().st_mtime_ns)
    except OSError:
        return ()
