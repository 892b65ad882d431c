# SPDX-License-Identifier: Apache-2.0
"""Cores of a matmul: the tile-rows and columns of the product that each has, and the operands that it shares.

The cores are a rectangle, and the product is cut into parts, one for each core, in one of three ways:

- *by rows*: every core has tile-rows of its own and all columns, so all cores need the same matrix;
- *by columns*: every core has columns of its own and all tile-rows, so all cores need the same rows to multiply;
- *by both*: a row of cores has the same tile-rows, a column of cores the same columns.

Cores that need the same tiles share them: one core of the group reads them from DRAM and multicasts them to the
others. They all do as many rounds, a tile-row in each; a core that has no tile-row left repeats the last one, and
nothing of it is written.

Of all rectangles and ways the one is taken whose busiest core is done first, counting tiles that it multiplies and
tiles that it reads for its group; then the one that reads the fewest tiles from DRAM. The matrix is read once if the
part of it that a core needs stays in L1, else once in every round.

Plain arithmetic, and nothing but Python's own library: an exported package has a copy of this file, and plans with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

# Cores that share an operand: two corners of their rectangle, and the one that reads for all.
Group = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
# A tile of 2 KiB that a core reads from DRAM and multicasts takes some 200 cycles, a product of tiles some 70.
PRODUCTS_PER_READ = 3


@dataclasses.dataclass(frozen=True)
class WorkGrid:
    """Parts of a product on a rectangle of cores.

    Attributes:
        width, height: of the rectangle.
        row_parts, column_parts: into which the product is cut.
        rounds: tile-rows of a part.
        part_tiles: tiles of a tile-row of a part.
        keeps_right: whether a core's part of the matrix stays in L1 from the first round on.
        left_rows: tile-rows of what is multiplied that L1 has room for: with two, the next one is read meanwhile.
        right_blocks: blocks of the matrix that L1 has room for, likewise.
        left_parts: cores of a group that compute a part each of the rows that are multiplied, for all of the group; 1
            where every core computes them as a whole, or nothing is computed.
    """

    width: int
    height: int
    row_parts: int
    column_parts: int
    rounds: int
    part_tiles: int
    keeps_right: bool = False
    left_rows: int = 1
    right_blocks: int = 1
    left_parts: int = 1

    @property
    def num_cores(self) -> int:
        return self.width * self.height

    def part_of(self, x: int, y: int) -> tuple[int, int]:
        """The part of rows and the part of columns of a core of the rectangle."""
        if self.column_parts == 1:
            return y * self.width + x, 0
        return (0, y * self.width + x) if self.row_parts == 1 else (y, x)

    def number_in_left_group(self, x: int, y: int) -> int:
        """The number of a core among those that need the same rows to multiply, in order of the rectangle."""
        if self.column_parts == 1:
            return 0
        return y * self.width + x if self.row_parts == 1 else x

    def most_left_parts(self, inner_tiles: int) -> int:
        """Equal parts of a row of tiles for the cores of a left group, or for the first of a group that is one row."""
        is_row = self.row_parts > 1 or self.height == 1
        sizes = range(1, self.column_parts + 1) if is_row else (1, self.column_parts)
        return max((each for each in sizes if inner_tiles % each == 0), default=1)

    def groups(self, x: int, y: int) -> dict[str, Group]:
        """Those that share the left operand with a core, and those that share the right one.

        Corners are in the order in which a multicast reaches them: the writer's, of the right one, towards smaller
        coordinates. Where both are shared, the cores that read lie on diagonals: their transfers meet less than in
        one row.
        """
        right, bottom, alone = self.width - 1, self.height - 1, ((x, y), (x, y), (x, y))
        if self.column_parts == 1:
            return {"left": alone, "right": ((right, bottom), (0, 0), (0, 0))}
        if self.row_parts == 1:
            return {"left": ((0, 0), (right, bottom), (0, 0)), "right": alone}
        return {
            "left": ((0, y), (right, y), ((y + 1) % self.width, y)),
            "right": ((x, bottom), (x, 0), (x, x % self.height)),
        }

    def computing(self, x: int, y: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """The first and the last of the cores of a left group that compute a part of its rows."""
        if self.row_parts > 1 or self.height == 1:
            return (0, y), (self.left_parts - 1, y)
        return (0, 0), (self.width - 1, self.height - 1)

    def receivers(self) -> dict[str, int]:
        """Cores that get an operand from another one, for each group."""
        return {"left_receivers": self.column_parts - 1, "right_receivers": self.row_parts - 1}

    def tiles_read(self, inner_tiles: int) -> tuple[int, int]:
        """Tiles of the left and of the right operand that are read from DRAM."""
        times = 1 if self.keeps_right else self.rounds
        return self.row_parts * self.rounds * inner_tiles, self.column_parts * self.part_tiles * inner_tiles * times


@dataclasses.dataclass(frozen=True)
class Freedom:
    """Choices that the formula around a product leaves open.

    Attributes:
        cuts_columns: its columns may lie on different cores, because nothing needs a whole row of it.
        keeps_right: the matrix may stay in L1, because the product is made once.
        reads_ahead: what is multiplied is read as it is, so the next tile-row can be read meanwhile.
    """

    cuts_columns: bool
    keeps_right: bool
    reads_ahead: bool


def work_grids(tile_rows: int, tile_columns: int, width: int, height: int, freedom: Freedom) -> list[WorkGrid]:
    """Ways to cut a product on at most ``width`` times ``height`` cores, the best first."""
    found: dict[tuple[int, int], WorkGrid] = {}
    for grid in sorted(_all_grids(tile_rows, tile_columns, width, height, freedom), key=_cost):
        found.setdefault((_cost(grid)[0], _cost(grid)[1]), grid)
    return [
        dataclasses.replace(grid, left_rows=left_rows, right_blocks=right_blocks)
        for grid in found.values()
        for right_blocks in _right_blocks(grid.keeps_right)
        for left_rows in ((2, 1) if freedom.reads_ahead and grid.rounds > 1 else (1,))
    ]


def _right_blocks(keeps_right: bool) -> tuple[int, ...]:
    """Blocks of a matrix to have room for, the best first; one that stays has its own room."""
    return (1,) if keeps_right else (2, 1)


def unshared_cuts(freedom: Freedom) -> list[tuple[bool, int, int]]:
    """Whether a matrix stays in L1, tile-rows to multiply and blocks of it there, where cores share nothing."""
    return [
        (keeps_right, left_rows, right_blocks)
        for keeps_right in ((True, False) if freedom.keeps_right else (False,))
        for right_blocks in _right_blocks(keeps_right)
        for left_rows in ((2, 1) if freedom.reads_ahead else (1,))
    ]


def _all_grids(tile_rows: int, tile_columns: int, width: int, height: int, freedom: Freedom) -> Iterator[WorkGrid]:
    for across in range(1, width + 1):
        for down in range(1, height + 1):
            cores = across * down
            ways = [(cores, 1), *([(1, cores), (down, across)] if freedom.cuts_columns else [])]
            for row_parts, column_parts in dict.fromkeys(ways):
                rounds, part_tiles = -(-tile_rows // row_parts), -(-tile_columns // column_parts)
                for keeps_right in (True, False) if freedom.keeps_right and rounds > 1 else (False,):
                    yield WorkGrid(across, down, row_parts, column_parts, rounds, part_tiles, keeps_right)


def _cost(grid: WorkGrid) -> tuple[int, int, int]:
    """Time of the busiest core and tiles read, both for each tile of a row that is multiplied; then cores.

    The time is counted in products of two tiles.
    """
    sent = grid.rounds + grid.part_tiles * (1 if grid.keeps_right else grid.rounds)
    return grid.rounds * grid.part_tiles + PRODUCTS_PER_READ * sent, sum(grid.tiles_read(1)), grid.num_cores


def fills_blocks(grid: WorkGrid, tile_columns: int, num_blocks: int, block_tiles: int) -> bool:
    """Whether every block of every part reaches into the product, if a part has so many blocks."""
    parts = _used_parts(grid, tile_columns)
    return (parts * num_blocks - 1) * block_tiles < tile_columns


def _used_parts(grid: WorkGrid, tile_columns: int) -> int:
    """Parts that there are columns for."""
    return -(-tile_columns // grid.part_tiles)


def part_values(grid: WorkGrid, x: int, y: int, tile_rows: int, tile_columns: int, num_blocks: int) -> dict[str, int]:
    """Runtime arguments with a core's part, by name; ``num_blocks`` are those of a part's tile-row.

    A core that there are no columns for repeats the last part and writes nothing.
    """
    row_part, column_part = grid.part_of(x, y)
    last = _used_parts(grid, tile_columns) - 1
    first = row_part * grid.rounds
    written = min(grid.rounds, max(0, tile_rows - first)) if column_part <= last else 0
    return {
        "first_tile_row": first,
        "num_tile_rows": grid.rounds,
        "num_written_rows": written,
        "first_block": min(column_part, last) * num_blocks,
        "own_part": grid.number_in_left_group(x, y),
        **{f"sends_{name}": int((x, y) == group[2]) for name, group in grid.groups(x, y).items()},
    }
