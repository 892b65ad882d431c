# SPDX-License-Identifier: Apache-2.0
"""Work split of an operation: lines of tiles onto cores, parts of a matmul onto a rectangle of them.

Rows do not know each other, so all dimensions but the last are one: a tensor [N, C, H, W] is N*C*H sticks of W
elements. 32 sticks are a tile-row, the unit of work.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Mapping
from typing import TypeAlias

from tilewright._planner.line_plan import Lines, core_values
from tilewright._planner.work_grid import WorkGrid, part_values
from tilewright._program.work_split import Grid, corerange_to_cores, split_work_to_cores
from tilewright._tensor.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType
from tilewright.formula._direction import Direction
from tilewright.formula._validation import OperationError

CoreSelection: TypeAlias = Grid | CoreRangeSet


@dataclasses.dataclass(frozen=True)
class TensorRows(Lines):
    """A tensor's rows.

    >>> TensorRows((2, 3, 64, 100), DataType.BFLOAT16).num_tile_rows
    12

    Attributes:
        in_slabs: tile-rows begin anew with every slab of the last two dimensions, as those of tensors in tiles do.
        direction: of the lines of tiles that an operation works along.
        inner_width: elements of a row that is multiplied by a matrix, whose columns the shape has; 0 without one.
        part_tiles, keeps_right, left_rows, right_blocks, left_parts: what a core has of a line, of the matrix and of
            what is multiplied by it.
        segments: parts of a tile-row that cores take by themselves.
    """

    shape: tuple[int, ...]
    dtype: DataType
    in_slabs: bool = False
    direction: Direction = Direction.ROWS
    inner_width: int = 0
    part_tiles: int = 0
    keeps_right: bool = False
    left_rows: int = 1
    right_blocks: int = 1
    left_parts: int = 1
    segments: int = 1

    @property
    def line_period(self) -> int:
        """Lines after which their parts are alike."""
        return self.segments

    @property
    def lines_differ(self) -> bool:
        """Whether some lines are more work than others."""
        return False

    def more_compile_time_values(self, block_tiles: int, element_bytes: Mapping[str, int]) -> dict[str, int]:
        """Values by name that kernels of such rows may take besides those of all lines."""
        return {}


@dataclasses.dataclass(frozen=True)
class CoreWork:
    """The lines of tiles one core works on.

    Attributes:
        values: the same as runtime arguments of kernels, by name: ``num_tile_rows``, ``first_stick`` ...
        groups: of the cores that share an operand of a matmul with it, the first and the last, and the one that reads.
        first_tile: of the part of a line that it has.
        first_left_tile: of the part that it computes of a row that is multiplied.
    """

    core: CoreCoord
    first_line: int
    num_lines: int
    values: Mapping[str, int] = dataclasses.field(hash=False)
    groups: Mapping[str, tuple[CoreCoord, ...]] = dataclasses.field(default_factory=dict, hash=False)
    first_tile: int = 0
    first_left_tile: int = 0


@dataclasses.dataclass(frozen=True)
class RowSplit:
    """Which core has which rows."""

    cores: CoreRangeSet
    work: tuple[CoreWork, ...] = dataclasses.field(hash=False)  # follows from the rows and the cores
    unit: str = "tile-row"
    grid: WorkGrid | None = None

    def describe(self) -> str:
        """One line: ``12 tile-rows on 5 cores (2 cores with 3, 3 cores with 2)``."""
        if self.grid is not None:
            return _grid_text(self.grid)
        counts = [each.num_lines for each in self.work]
        groups = [f"{counted(counts.count(size), 'core')} with {size}" for size in sorted(set(counts), reverse=True)]
        return f"{counted(sum(counts), self.unit)} on {counted(len(counts), 'core')} ({', '.join(groups)})"


@functools.lru_cache(maxsize=256)
def split_rows(rows: TensorRows, selection: CoreSelection) -> RowSplit:
    """Whole lines of tiles, as evenly as they go, in order over the cores."""
    _, cores, more, fewer, lines_more, lines_fewer = split_work_to_cores(selection, rows.num_lines)
    work = []
    first = 0
    for group, lines in ((more, lines_more), (fewer, lines_fewer)):
        for core in corerange_to_cores(group):
            work.append(CoreWork(core, first, lines, core_values(rows, first, lines)))
            first += lines
    return RowSplit(cores, tuple(work), rows.direction.unit if rows.segments == 1 else "segment of a tile-row")


def rectangle_of(selection: CoreSelection) -> CoreRange | None:
    """The cores of a selection, if they are a rectangle."""
    if isinstance(selection, CoreRangeSet):
        ranges = selection.ranges()
        return ranges[0] if len(ranges) == 1 else None
    x, y = (selection.x, selection.y) if isinstance(selection, (CoreCoord, CoreGrid)) else selection
    return CoreRange((0, 0), (x - 1, y - 1))


def split_product(rows: TensorRows, grid: WorkGrid, cores: CoreRange, num_blocks: int, block_tiles: int) -> RowSplit:
    """The parts of a product on the first cores of a rectangle."""
    left, top = cores.start.x, cores.start.y
    work = []
    for y in range(grid.height):
        for x in range(grid.width):
            values = part_values(grid, x, y, rows.num_tile_rows, rows.line_tiles, num_blocks)
            groups = {
                name: tuple(CoreCoord(left + x, top + y) for x, y in group)
                for name, group in {**grid.groups(x, y), "computing": grid.computing(x, y)}.items()
            }
            core, tile = CoreCoord(left + x, top + y), values["first_block"] * block_tiles
            left_tile = values["own_part"] * rows.left_part_tiles
            work.append(CoreWork(core, values["first_tile_row"], grid.rounds, values, groups, tile, left_tile))
    used = CoreRange(cores.start, (left + grid.width - 1, top + grid.height - 1))
    return RowSplit(CoreRangeSet([used]), tuple(work), grid=grid)


def _grid_text(grid: WorkGrid) -> str:
    cores = f"{counted(grid.num_cores, 'core')} ({grid.width}x{grid.height})"
    each = f"{counted(grid.rounds, 'tile-row')} of {counted(grid.part_tiles, 'tile')} each"
    shared = [
        f"{counted(parts, 'core')} share {what}"
        for parts, what in ((grid.column_parts, "the rows that are multiplied"), (grid.row_parts, "the matrix"))
        if parts > 1
    ]
    if grid.left_parts > 1:
        shared.append(f"{grid.left_parts} of them compute a part each of a row that is multiplied")
    return f"{cores}, {each}" + (f"; {', '.join(shared)}" if shared else "")


def checked_selection(core_grid: CoreSelection | None, available: CoreCoord) -> CoreSelection:
    """The cores asked for, all of them if none were; a grid or a set of cores that the chip has."""
    if core_grid is None:
        return available
    if isinstance(core_grid, CoreRangeSet):
        whole = CoreRange((0, 0), (available.x - 1, available.y - 1))
        fits = not core_grid.empty() and all(whole.contains(each) for each in core_grid.ranges())
        chosen: CoreSelection = core_grid
    elif isinstance(core_grid, (CoreCoord, CoreGrid)):
        fits = 1 <= core_grid.x <= available.x and 1 <= core_grid.y <= available.y
        chosen = core_grid
    elif (pair := _pair(core_grid)) is not None:
        fits = 1 <= pair[0] <= available.x and 1 <= pair[1] <= available.y
        chosen = pair
    else:
        raise TypeError(
            f"core_grid must be a ttnn.CoreGrid, a pair (columns, rows) or a ttnn.CoreRangeSet, not {core_grid!r}"
        )
    if not fits:
        raise OperationError(f"core_grid {core_grid} does not fit; allowed: 1x1 to {available.x}x{available.y}")
    return chosen


def _pair(value: object) -> tuple[int, int] | None:
    """Two whole numbers, of Python or of NumPy; None if it is anything else."""
    if not isinstance(value, tuple) or len(value) != 2:
        return None
    try:
        return operator.index(value[0]), operator.index(value[1])
    except TypeError:
        return None


def counted(number: int, noun: str) -> str:
    """``1 core``, ``2 cores``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
