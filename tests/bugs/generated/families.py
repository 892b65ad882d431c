# SPDX-License-Identifier: Apache-2.0
"""All families, and how many of their programs make up the thousand of the test."""

from __future__ import annotations

from corpus.model import BLACKHOLE, WORMHOLE

from generated.chains import CHAINS
from generated.declared import DECLARED
from generated.deliveries import DELIVERIES
from generated.gathers import GATHERS
from generated.in_place import IN_PLACE
from generated.lines import LINES
from generated.model import Family
from generated.multicasts import MULTICASTS
from generated.pulls import PULLS
from generated.rows import ROWS
from generated.sticks import STICKS

FAMILIES = (CHAINS, ROWS, STICKS, LINES, MULTICASTS, DELIVERIES, GATHERS, PULLS, IN_PLACE, DECLARED)

# Legal programs of each family and chip: 1,000 in all.
LEGAL_SHARES: dict[tuple[str, str], int] = {
    (CHAINS.name, WORMHOLE): 160,
    (CHAINS.name, BLACKHOLE): 40,
    (ROWS.name, WORMHOLE): 166,
    (ROWS.name, BLACKHOLE): 40,
    (STICKS.name, WORMHOLE): 80,
    (STICKS.name, BLACKHOLE): 40,
    (LINES.name, WORMHOLE): 80,
    (LINES.name, BLACKHOLE): 20,
    (MULTICASTS.name, WORMHOLE): 80,
    (MULTICASTS.name, BLACKHOLE): 20,
    (DELIVERIES.name, WORMHOLE): 60,
    (DELIVERIES.name, BLACKHOLE): 15,
    (GATHERS.name, WORMHOLE): 60,
    (GATHERS.name, BLACKHOLE): 15,
    (PULLS.name, WORMHOLE): 40,
    (PULLS.name, BLACKHOLE): 10,
    (IN_PLACE.name, WORMHOLE): 40,
    (IN_PLACE.name, BLACKHOLE): 10,
    (DECLARED.name, WORMHOLE): 20,
    (DECLARED.name, BLACKHOLE): 4,
}


def family_called(name: str) -> Family:
    return next(family for family in FAMILIES if family.name == name)
