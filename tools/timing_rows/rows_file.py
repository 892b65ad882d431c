# SPDX-License-Identifier: Apache-2.0
"""Content of ``rows.tsv``: measured operations, the cards they were measured on, which of them are held out."""

from __future__ import annotations

import csv
import dataclasses
import zlib
from pathlib import Path

Row = dict[str, str]


@dataclasses.dataclass(frozen=True)
class Card:
    arch: str
    grid: str  # of ``tilewright exec --grid``

    @property
    def name(self) -> str:
        return f"{self.arch}-{self.grid}"


# Those that were there when half of the rows were chosen.
_COLUMNS = ("arch", "available", "op", "cores", "fidelity", "inputs", "output", "measured_ns", "file")
_GRIDS = {
    ("blackhole", "20"): "5x4",
    ("blackhole", "64"): "8x8",
    ("blackhole", "110"): "11x10",
    ("blackhole", "120"): "12x10",
    ("blackhole", "130"): "p150",
    ("wormhole_b0", "64"): "8x8",
}


def card_of(row: Row) -> Card:
    """By chip and cores; a p100a, which lacks one of the DRAM banks, by the name of its file."""
    grid = "p100a" if "p100" in row["file"] else _GRIDS[row["arch"], row["available"]]
    return Card(row["arch"], grid)


def read(path: Path) -> list[Row]:
    with path.open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


def family_of(op: str) -> str:
    return op.replace("DeviceOperation", "").replace("Operation", "")


def is_held_out(row: Row) -> bool:
    """Whether the row is held out of calibration: half of the rows are, by a checksum of their text."""
    return bool(zlib.crc32("\t".join(row[name] for name in _COLUMNS).encode()) & 1)
