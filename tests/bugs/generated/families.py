# SPDX-License-Identifier: Apache-2.0
"""All families, and how many of their programs make up the thousand of the test."""

from __future__ import annotations

from tests.bugs.corpus.model import BLACKHOLE, WORMHOLE
from tests.bugs.generated.chains import CHAINS
from tests.bugs.generated.declared import DECLARED
from tests.bugs.generated.deliveries import DELIVERIES
from tests.bugs.generated.gathers import GATHERS
from tests.bugs.generated.in_place import IN_PLACE
from tests.bugs.generated.lines import LINES
from tests.bugs.generated.model import Family
from tests.bugs.generated.multicasts import MULTICASTS
from tests.bugs.generated.pulls import PULLS
from tests.bugs.generated.rows import ROWS
from tests.bugs.generated.sticks import STICKS

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
