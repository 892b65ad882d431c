# SPDX-License-Identifier: Apache-2.0
"""Report of `check --program-cache` on a ttnn script: findings, and the calls that were judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tilewright._cli.observed_target import ObservedTarget
from tilewright._rules import RULES
from tilewright.check._finding import Finding

_MOST_REASONS = 5


def with_cache_findings(seen: ObservedTarget) -> ObservedTarget:
    """The target with a finding for each variant whose result from the cache is another than anew."""
    found = tuple(each for each in seen.results if isinstance(each, dict))
    if not found:
        return seen
    rule = RULES["cache-stale"]
    findings = [
        Finding(
            rule.id,
            "",
            each["path"],
            each["line"],
            None,
            (),
            None,
            0,
            f"with {variant}, {each['operation']} gives another result from the program cache than anew: {difference}",
            rule.cause,
            rule.cure,
            operation=each["operation"],
        )
        for each in found
        for variant, difference in each["wrong"]
    ]
    launches = [each for each in seen.results if not isinstance(each, dict)]
    return dataclasses.replace(seen, results=launches, findings=[*seen.findings, *findings], cache_results=found)


def cache_summary(results: Sequence[dict[str, Any]]) -> str:
    """How many calls were repeated, and what was not judged."""
    variants = sum(len(each["judged"]) for each in results)
    names = {each["operation"] for each in results}
    lines = [f"program cache: {len(results)} calls of {len(names)} operations repeated, {variants} variants compared"]
    reasons: dict[str, list[str]] = {}
    for each in results:
        for variant, reason in each["not_judged"]:
            reasons.setdefault(f"{variant}: {reason}", []).append(each["operation"])
    for reason, operations in list(reasons.items())[:_MOST_REASONS]:
        lines.append(f"  not judged: {', '.join(dict.fromkeys(operations))} with {reason}")
    if len(reasons) > _MOST_REASONS:
        lines.append(f"  ... and {len(reasons) - _MOST_REASONS} further reasons")
    return "\n".join(lines)
