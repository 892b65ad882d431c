# SPDX-License-Identifier: Apache-2.0
"""Cores that get the same number of units: a kernel that takes its count at compile time is built once per group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tilewright import ttnn


def cores_by_units(work: Iterable[tuple[ttnn.CoreCoord, int, int]]) -> dict[int, ttnn.CoreRangeSet]:
    """Units to the cores that have so many, of ``split_work``'s (core, units, first unit)."""
    groups: dict[int, list[ttnn.CoreRange]] = defaultdict(list)
    for core, units, _ in work:
        groups[units].append(ttnn.CoreRange(core, core))
    return {units: ttnn.CoreRangeSet(ranges) for units, ranges in groups.items()}
