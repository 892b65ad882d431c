# SPDX-License-Identifier: Apache-2.0
"""Compare recorded tiles with a reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._tensor.tile import TILE_SIZE
from tilewright._workshop.trace.recorded import Recorded
from tilewright._workshop.trace.steps import Float64
from tilewright.kernels.phases import Region

RIGHT, WRONG, FAR_OFF, NOT_A_NUMBER, NOT_COMPARED = ".", "x", "X", "N", " "
# Marks from good to bad: a tile is as good as its worst element.
MARKS = (NOT_COMPARED, RIGHT, WRONG, FAR_OFF, NOT_A_NUMBER)
# An error of so many floors is not a matter of rounding any more.
FAR = 64.0


@dataclasses.dataclass(frozen=True)
class WrongElement:
    """One element; row and column are the tensor's."""

    row: int
    column: int
    value: float
    expected: float


@dataclasses.dataclass(frozen=True)
class Difference:
    """A step's pages against its reference.

    Attributes:
        num_compared, num_wrong: elements.
        largest_error: absolute, NaN if something is not a number.
        share_of_floor: the largest error as a share of what the formats cost there; above 1 is wrong.
        first_wrong: the first wrong element, in the order of the rows.
        overview: one mark for each tile, one text for each tile-row.
        tile: tile-row and tile column of the first wrong tile, and ``marks`` of its 32 rows.
        unit: what a line of tiles is, where it is no tile-row.
    """

    num_compared: int
    num_wrong: int
    largest_error: float
    share_of_floor: float
    first_wrong: WrongElement | None = None
    overview: tuple[str, ...] = ()
    tile: tuple[int, int] = (0, 0)
    marks: tuple[str, ...] = ()
    unit: str = "tile-row"

    @property
    def is_right(self) -> bool:
        return self.num_wrong == 0

    @property
    def is_exact(self) -> bool:
        return self.is_right and self.largest_error == 0


@dataclasses.dataclass(frozen=True, eq=False)
class Expected:
    """Expected result of a step.

    Attributes:
        values, floor: of two dimensions, as tiles come (:mod:`tilewright._workshop.trace.geometry`), or one row
            for all.
        region: where pages hold data.
        last_tile_columns: columns of the last tile that belong to the tensor.
        is_everywhere: whether one number fills the tile.
    """

    values: Float64
    floor: Float64
    region: Region
    last_tile_columns: int
    is_everywhere: bool = False

    @property
    def width(self) -> int:
        return int(self.values.shape[1])

    def block(self, tile_row: int, column: int, width: int, page: int) -> tuple[Float64, Float64]:
        """Values and floor of one block of 32 rows; NaN where nothing is to be compared."""
        values, floor = np.full((TILE_SIZE, width), np.nan), np.full((TILE_SIZE, width), np.nan)
        if self.region is Region.SCALER:
            columns = self.last_tile_columns if page else TILE_SIZE
            values[[0, 16], :columns], floor[[0, 16], :columns] = self.values[0, 0], self.floor[0, 0]
            return values, floor
        first = max(tile_row, 0) * TILE_SIZE
        rows = min(TILE_SIZE, len(self.values) - first)
        if self.is_everywhere:
            return np.full_like(values, self.values[0, 0]), np.full_like(floor, self.floor[0, 0])
        columns = min(width, self.width - column)
        if rows > 0 and columns > 0:
            part = np.s_[first : first + rows, column : column + columns]
            values[:rows, :columns] = self.values[part][:rows]
            floor[:rows, :columns] = self.floor[part][:rows]
        return values, floor


def compare(recorded: Recorded, expected: Expected) -> Difference:
    """Every recorded tile against its reference."""
    rows, errors, shares = [], [], []
    first: tuple[WrongElement, tuple[int, int], tuple[str, ...]] | None = None
    compared = wrong = 0
    cells: dict[tuple[int, int], str] = {}
    for tile, tile_row, column, page in _tiles(recorded):
        values, floor = expected.block(tile_row, column, tile.shape[1], page)
        error, share = _shares(tile, values, floor)
        marks = _marks(tile, values, share)
        is_wrong = np.isin(marks, (WRONG, FAR_OFF, NOT_A_NUMBER))
        compared += int((marks != NOT_COMPARED).sum())
        wrong += int(is_wrong.sum())
        if (marks != NOT_COMPARED).any():
            errors.append(float(np.nanmax(np.where(marks == NOT_COMPARED, 0, error))))
            shares.append(float(np.nanmax(np.where(marks == NOT_COMPARED, 0, share))))
        for part in range(0, tile.shape[1], TILE_SIZE):
            place = (max(tile_row, 0), (column + part) // TILE_SIZE)
            some = marks[:, part : part + TILE_SIZE]
            cells[place] = max([cells.get(place, NOT_COMPARED), *np.unique(some)], key=MARKS.index)
            if first is None and is_wrong[:, part : part + TILE_SIZE].any():
                element = _first_wrong(tile, values, is_wrong, part, max(tile_row, 0) * TILE_SIZE, column)
                first = (element, place, tuple("".join(row) for row in some))
        rows.append(tile_row)
    overview = tuple(_overview(cells))
    found = Difference(compared, wrong, max(errors, default=0.0), max(shares, default=0.0), overview=overview)
    if first is None:
        return found
    return dataclasses.replace(found, first_wrong=first[0], tile=first[1], marks=first[2])


def _tiles(recorded: Recorded) -> Iterator[tuple[Float64, int, int, int]]:
    """Tiles with their tile-row, first column and the page they were of their place."""
    seen: dict[tuple[int, int], int] = {}
    for tile, tile_row, column in zip(recorded.tiles, recorded.tile_rows, recorded.columns, strict=True):
        page = seen.get((tile_row, column), 0) % max(recorded.rounds, 1)
        seen[tile_row, column] = page + 1
        yield tile, tile_row, column, page


def _shares(tile: Float64, values: Float64, floor: Float64) -> tuple[Float64, Float64]:
    with np.errstate(invalid="ignore"):
        error = np.where(tile == values, 0.0, np.abs(tile - values))  # infinities that agree
    error = np.where(np.isnan(error) & ~np.isnan(values), np.inf, error)
    with np.errstate(invalid="ignore"):
        return error, np.where(np.isinf(floor), 0.0, error / floor)  # without a bound nothing is claimed


def _marks(tile: Float64, values: Float64, share: Float64) -> NDArray[np.str_]:
    marks = np.where(share > 1, np.where(share > FAR, FAR_OFF, WRONG), RIGHT)
    marks = np.where(~np.isfinite(tile) & (share > 1), NOT_A_NUMBER, marks)
    return np.asarray(np.where(np.isnan(values), NOT_COMPARED, marks))


def _first_wrong(
    tile: Float64, values: Float64, is_wrong: NDArray[np.bool_], part: int, first_row: int, first_column: int
) -> WrongElement:
    row, column = (int(each[0]) for each in np.nonzero(is_wrong[:, part : part + TILE_SIZE]))
    column += part
    return WrongElement(first_row + row, first_column + column, float(tile[row, column]), float(values[row, column]))


def _overview(cells: dict[tuple[int, int], str]) -> Iterator[str]:
    if cells:
        last_row, last_column = (max(place[side] for place in cells) for side in (0, 1))
        for row in range(last_row + 1):
            yield "".join(cells.get((row, column), NOT_COMPARED) for column in range(last_column + 1))


def summed(parts: Sequence[Recorded], last_tile_columns: int) -> Recorded:
    """Pages that come several times for one place, added: shares of a sum.

    Where W ends inside a tile, the last share has the last tile, whose other columns hold padding.
    """
    shares: dict[tuple[int, int], list[Float64]] = {}
    for part in parts:
        for tile, tile_row, column in zip(part.tiles, part.tile_rows, part.columns, strict=True):
            shares.setdefault((tile_row, column), []).append(tile)
    totals = []
    for tiles in shares.values():
        last = tiles[-1].copy()
        last[:, last_tile_columns:] = 0
        totals.append(sum(tiles[:-1], start=last))
    return Recorded(totals, [tile_row for tile_row, _ in shares], [column for _, column in shares])
