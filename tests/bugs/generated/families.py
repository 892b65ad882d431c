# SPDX-License-Identifier: Apache-2.0
"""All families, and how many of their programs make up the five hundred of the test."""

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

# Legal programs of each family and chip: 500 in all.
LEGAL_SHARES: dict[tuple[str, str], int] = {
    (CHAINS.name, WORMHOLE): 82,
    (CHAINS.name, BLACKHOLE): 20,
    (ROWS.name, WORMHOLE): 82,
    (ROWS.name, BLACKHOLE): 20,
    (STICKS.name, WORMHOLE): 40,
    (STICKS.name, BLACKHOLE): 20,
    (LINES.name, WORMHOLE): 40,
    (LINES.name, BLACKHOLE): 10,
    (MULTICASTS.name, WORMHOLE): 40,
    (MULTICASTS.name, BLACKHOLE): 10,
    (DELIVERIES.name, WORMHOLE): 30,
    (DELIVERIES.name, BLACKHOLE): 7,
    (GATHERS.name, WORMHOLE): 30,
    (GATHERS.name, BLACKHOLE): 7,
    (PULLS.name, WORMHOLE): 20,
    (PULLS.name, BLACKHOLE): 5,
    (IN_PLACE.name, WORMHOLE): 20,
    (IN_PLACE.name, BLACKHOLE): 5,
    (DECLARED.name, WORMHOLE): 10,
    (DECLARED.name, BLACKHOLE): 2,
}


def family_called(name: str) -> Family:
    return next(family for family in FAMILIES if family.name == name)
