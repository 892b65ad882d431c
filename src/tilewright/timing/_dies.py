# SPDX-License-Identifier: Apache-2.0
"""Die layouts: positions of cores and DRAM banks.

Columns and rows are those of tt-metal's SoC descriptors. Which rows a card has switched off is not known beforehand;
the first ones that exist are taken.
"""

from __future__ import annotations

import dataclasses
import functools

from tilewright._tensor.arch import ArchDescription, describe_arch

Place = tuple[int, int]

_WORMHOLE_COLUMNS = (1, 2, 3, 4, 6, 7, 8, 9)
_WORMHOLE_ROWS = (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)
_BLACKHOLE_COLUMNS = (1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16)
_BLACKHOLE_ROWS = tuple(range(2, 12))
# The port of each bank that tt-metal uses on NoC 0, and on NoC 1.
_BLACKHOLE_BANKS = (
    ((0, 11), (0, 2), (0, 9), (0, 5), (9, 11), (9, 3), (9, 8), (9, 6)),
    ((0, 1), (0, 10), (0, 4), (0, 7), (9, 1), (9, 10), (9, 4), (9, 7)),
)


@dataclasses.dataclass(frozen=True)
class Die:
    """Places of a chip's worker columns, worker rows and DRAM banks, and the size of its NoC."""

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    banks: tuple[tuple[Place, ...], tuple[Place, ...]]  # of NoC 0, of NoC 1
    size: Place


def die_of(arch: str) -> Die:
    description: ArchDescription = describe_arch(arch)
    if arch == "blackhole":
        return Die(_BLACKHOLE_COLUMNS, _BLACKHOLE_ROWS, _BLACKHOLE_BANKS, (17, 12))
    return Die(_WORMHOLE_COLUMNS, _WORMHOLE_ROWS, (description.dram_coords,) * 2, (10, 12))


@dataclasses.dataclass(frozen=True)
class NocNode:
    """A worker core or a DRAM bank.

    Attributes:
        noc: the coordinates kernels address it by.
        places: where it lies on the die as NoC 0 and NoC 1 reach it.
        core: its logical place; None of a bank.
        bank: its number; -1 of a core.
    """

    noc: Place
    places: tuple[Place, Place]
    core: Place | None
    bank: int


@functools.cache
def noc_nodes(arch: str, grid: Place) -> tuple[NocNode, ...]:
    """Every worker core of a grid, and every DRAM bank."""
    description, die = describe_arch(arch), die_of(arch)
    workers = [
        NocNode((description.worker_columns[x], description.worker_rows[y]), (place, place), (x, y), -1)
        for y in range(grid[1])
        for x in range(grid[0])
        for place in [(die.columns[x], die.rows[y])]
    ]
    ports = zip(*die.banks, strict=True)
    banks = [
        NocNode(at, places, None, bank)
        for bank, (at, places) in enumerate(zip(description.dram_coords, ports, strict=True))
    ]
    return (*workers, *banks)
