# SPDX-License-Identifier: Apache-2.0
"""Groups of cores that have a line of tiles together, a part each.

Where there are fewer lines than cores, cores of a rectangle take one part each of the same lines and exchange what
they reduce (:mod:`tilewright._planner.exchange_kernels`). All parts are as many whole tiles, so that all cores of a
group do the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tilewright._planner.line_plan import TILE, core_values
from tilewright._planner.row_split import CoreWork, RowSplit, TensorRows
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet


@dataclasses.dataclass(frozen=True)
class LineGroups:
    """Groups of ``width`` by ``height`` cores, ``across`` of them side by side and ``down`` of them."""

    width: int
    height: int
    across: int
    down: int

    @property
    def line_parts(self) -> int:
        return self.width * self.height

    @property
    def number(self) -> int:
        return self.across * self.down

    def cores(self, index: int, start: CoreCoord) -> CoreRange:
        """The cores of a group, in a grid that begins at a core."""
        x, y = start.x + index % self.across * self.width, start.y + index // self.across * self.height
        return CoreRange((x, y), (x + self.width - 1, y + self.height - 1))


def groups_to_try(rows: TensorRows, cores: CoreRange) -> list[LineGroups]:
    """Groups of a size that leaves one for every line, the largest, and the next larger ones.

    None where lines end inside a tile, which cores would have to know of their part.
    """
    if rows.last_tile_columns != TILE or rows.num_lines >= cores.grid_size().x * cores.grid_size().y:
        return []
    best = list(_best_groups(rows.line_tiles, cores))
    enough = [each for each in best if each.number >= rows.num_lines]
    fewer = [each for each in best if each.number < rows.num_lines]
    return [*enough[-3:], *fewer[:1]]


def _best_groups(line_tiles: int, cores: CoreRange) -> Iterator[LineGroups]:
    """Of each number of parts, the rectangle of which there are the most; few parts first."""
    grid = cores.grid_size()
    for parts in range(2, line_tiles + 1):
        if line_tiles % parts:
            continue
        shapes = [(width, parts // width) for width in range(1, parts + 1) if parts % width == 0]
        found = [LineGroups(*shape, grid.x // shape[0], grid.y // shape[1]) for shape in shapes]
        yield from sorted([each for each in found if each.number], key=lambda each: -each.number)[:1]


def split_parts(rows: TensorRows, groups: LineGroups, cores: CoreRange, num_blocks: int) -> RowSplit:
    """Lines, as evenly as they go, over groups; a part of each over the cores of a group."""
    used = min(groups.number, rows.num_lines)
    work: list[CoreWork] = []
    ranges = []
    first = 0
    for index in range(used):
        lines = rows.num_lines // used + (index < rows.num_lines % used)
        group = groups.cores(index, cores.start)
        ranges.append(group)
        for part, core in enumerate(group):
            values = {**core_values(rows, first, lines), "first_block": part * num_blocks, "own_part": part}
            places = {"line": (group.end, group.start)}  # the writer's multicasts go towards smaller coordinates
            work.append(CoreWork(core, first, lines, values, places, part * rows.part_tiles))
        first += lines
    return RowSplit(CoreRangeSet(ranges), tuple(work), "tile-row part")
