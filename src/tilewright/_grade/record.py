# SPDX-License-Identifier: Apache-2.0
"""The record of a graded candidate, and its score.

A record depends on the candidate, the task and tilewright only: it has no times of this machine and no paths.
"""

from __future__ import annotations

import dataclasses
from typing import Any

VERSION = 1

# What became of a candidate, in the order of the stages; the last is the only good one.
OUTCOMES = {
    "refused": "it is no candidate: no function, an error of its host code, a program that is refused",
    "not-compiled": "a kernel, or a host source of a C++ folder, does not compile",
    "limit": "a limit of the budget ended it before it was judged: time, memory or size of what it sends",
    "error": "the grader could not judge it; the message says why",
    "not-ended": "a launch ended in a deadlock, a fault or at its time limit",
    "unstable": "it does not do the same each time",
    "wrong": "elements are farther from the reference than the tolerance allows",
    "not-clean": "right, but the checker has findings",
    "ok": "right, clean and timed",
}
_COMPILED, _ENDED, _RIGHT, _CLEAN = 0.1, 0.2, 0.5, 0.7


@dataclasses.dataclass(frozen=True)
class CaseRecord:
    """Result of one case of the task.

    Attributes:
        wrong: elements outside the tolerance; None where the case was not compared.
        worst: largest error as a share of what is allowed; None as above, and where it is not finite.
        findings: of the checker: rule, severity, place and count of each.
        microseconds: modelled time; None where it was not timed.
    """

    elements: int
    wrong: int | None = None
    worst: float | None = None
    findings: tuple[dict[str, Any], ...] = ()
    microseconds: float | None = None


@dataclasses.dataclass(frozen=True)
class GradeRecord:
    """One line of ``tilewright grade``.

    Attributes:
        digest: of the candidate's files.
        speedup: time of the baseline divided by that of the candidate, over all cases; None where one is not known.
    """

    candidate: str
    task: str
    digest: str
    outcome: str
    message: str = ""
    cases: tuple[CaseRecord, ...] = ()
    microseconds: float | None = None
    baseline_microseconds: float | None = None

    @property
    def speedup(self) -> float | None:
        if not self.microseconds or not self.baseline_microseconds:
            return None
        return self.baseline_microseconds / self.microseconds

    @property
    def score(self) -> float:
        """0 to 1; see ``score_of``."""
        right = sum(each.wrong == 0 for each in self.cases) / len(self.cases) if self.cases else 0.0
        return score_of(self.outcome, right, self.speedup)

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON has it."""
        return {
            "version": VERSION,
            "candidate": self.candidate,
            "task": self.task,
            "digest": self.digest,
            "outcome": self.outcome,
            "score": round(self.score, 6),
            "message": self.message,
            "cases": [dataclasses.asdict(each) for each in self.cases],
            "microseconds": self.microseconds,
            "baseline_microseconds": self.baseline_microseconds,
            "speedup": self.speedup,
        }


def score_of(outcome: str, right: float, speedup: float | None) -> float:
    """The score: each stage is worth more than everything before it.

    ======================================  ==========================
    it does not compile, or is refused      0
    it compiles, and does not end           0.1
    it ends, and a share of cases is right  0.2 + 0.3 * share, below 0.5
    right, but not clean                    0.5
    right and clean                         0.7 + 0.15 * min(speedup, 2)
    ======================================  ==========================

    Without a baseline the speedup counts as 1.

    >>> score_of("ok", 1.0, 1.0)
    0.85
    """
    if outcome in ("not-ended", "unstable"):
        return _COMPILED
    if outcome == "wrong":
        return _ENDED + 0.3 * right
    if outcome == "not-clean":
        return _RIGHT
    if outcome == "ok":
        return _CLEAN + 0.15 * min(1.0 if speedup is None else speedup, 2.0)
    return 0.0
