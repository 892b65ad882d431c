# SPDX-License-Identifier: Apache-2.0
"""One mistake, one finding: what follows from another finding is listed under it.

Only pairs of rules where one is the other's cause whenever both are seen together, on the same cores or in the same
kernel: two mistakes in one program stay two findings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from tilewright.check.finding import Finding

_LOST_SIGNALS = ("noc-multicast-nobody", "noc-multicast-misses", "semaphore-lost-reset", "semaphore-overshoot")
_EARLY_READS = ("l1-race", "noc-use-in-flight", "noc-push-in-flight", "noc-multicast-misses", "cb-read-past-wait")
_WRONG_SIZES = ("arg-no-address", "tensor-page-size")


def _anywhere(cause: Finding, effect: Finding) -> bool:
    return True


def _same_kernel(cause: Finding, effect: Finding) -> bool:
    return cause.kernel == effect.kernel


def _shared_cores(cause: Finding, effect: Finding) -> bool:
    return not cause.cores or not effect.cores or bool(set(cause.cores) & set(effect.cores))


# What may follow, from which rules, and where.
_FOLLOWS: dict[str, tuple[tuple[str, ...], Callable[[Finding, Finding], bool]]] = {
    "hang-semaphore": (_LOST_SIGNALS, _anywhere),
    "value-uninitialised": (_EARLY_READS, _shared_cores),
    "noc-page-out-of-range": (_WRONG_SIZES, _same_kernel),
    "noc-page-stride": (_WRONG_SIZES, _same_kernel),
    "cb-write-past-reserve": (_WRONG_SIZES, _same_kernel),
    "cb-index-wrap": (_WRONG_SIZES, _same_kernel),
    "l1-outside-buffer": (_WRONG_SIZES, _same_kernel),
}


def under_their_causes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that stand by themselves, each with those that follow from it."""
    causes: dict[int, list[Finding]] = {}
    roots: list[int] = []
    for index, finding in enumerate(findings):
        rules, fits = _FOLLOWS.get(finding.rule, ((), _anywhere))
        cause = next((i for i, each in enumerate(findings) if each.rule in rules and fits(each, finding)), None)
        if cause is None:
            roots.append(index)
        else:
            causes.setdefault(cause, []).append(finding)
    return [
        dataclasses.replace(findings[index], consequences=tuple(causes[index])) if index in causes else findings[index]
        for index in roots
    ]
