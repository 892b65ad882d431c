# SPDX-License-Identifier: Apache-2.0
"""All families, and how many of their programs make up the thousand of the test."""

from __future__ import annotations

from corpus.model import BLACKHOLE, WORMHOLE

from generated.chains import CHAINS
from generated.lines import LINES
from generated.model import Family
from generated.multicasts import MULTICASTS
from generated.rows import ROWS
from generated.sticks import STICKS

FAMILIES = (CHAINS, ROWS, STICKS, LINES, MULTICASTS)

# Legal programs of each family and chip: 1,000 in all.
LEGAL_SHARES: dict[tuple[str, str], int] = {
    (CHAINS.name, WORMHOLE): 250,
    (CHAINS.name, BLACKHOLE): 50,
    (ROWS.name, WORMHOLE): 250,
    (ROWS.name, BLACKHOLE): 50,
    (STICKS.name, WORMHOLE): 100,
    (STICKS.name, BLACKHOLE): 50,
    (LINES.name, WORMHOLE): 100,
    (LINES.name, BLACKHOLE): 25,
    (MULTICASTS.name, WORMHOLE): 100,
    (MULTICASTS.name, BLACKHOLE): 25,
}


def family_called(name: str) -> Family:
    return next(family for family in FAMILIES if family.name == name)
