# SPDX-License-Identifier: Apache-2.0
"""The rows of a tensor as an operation along the last dimension sees them, and their way onto the cores.

Rows do not know each other, so all dimensions but the last are one: a tensor [N, C, H, W] is N*C*H sticks of W
elements. 32 sticks are a tile-row, the unit of work.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import TypeAlias

from tilewright.ops.direction import Direction
from tilewright.ops.validation import OperationError
from tilewright.program.work_split import Grid, corerange_to_cores, split_work_to_cores
from tilewright.tensor.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet
from tilewright.tensor.dtype import DataType
from tilewright.tensor.tile import TILE_SIZE

CoreSelection: TypeAlias = Grid | CoreRangeSet


@dataclasses.dataclass(frozen=True)
class TensorRows:
    """A tensor's rows.

    >>> TensorRows((2, 3, 64, 100), DataType.BFLOAT16).num_tile_rows
    12

    Attributes:
        in_slabs: tile-rows begin anew with every slab of the last two dimensions, as those of tensors in tiles do.
        direction: of the lines of tiles that an operation works along.
    """

    shape: tuple[int, ...]
    dtype: DataType
    in_slabs: bool = False
    direction: Direction = Direction.ROWS

    @property
    def width(self) -> int:
        return self.shape[-1]

    @property
    def num_sticks(self) -> int:
        return math.prod(self.shape[:-1])

    @property
    def width_tiles(self) -> int:
        """Wt: tiles a stick reaches into."""
        return -(-self.width // TILE_SIZE)

    @property
    def height(self) -> int:
        """Rows of a slab; all rows where slabs do not matter."""
        return self.shape[-2] if self.in_slabs else self.num_sticks

    @property
    def num_tile_rows(self) -> int:
        return self.num_sticks // self.height * -(-self.height // TILE_SIZE)

    @property
    def last_tile_columns(self) -> int:
        """Columns of the last tile that belong to the tensor, 1 to 32."""
        return self.width - (self.width_tiles - 1) * TILE_SIZE

    # Along the lines.

    @property
    def height_tiles(self) -> int:
        return -(-self.height // TILE_SIZE)

    @property
    def last_tile_rows(self) -> int:
        """Rows of a slab's last tiles that belong to the tensor, 1 to 32."""
        return self.height - (self.height_tiles - 1) * TILE_SIZE

    @property
    def line_tiles(self) -> int:
        """Tiles of a line."""
        slab = self.width_tiles * self.height_tiles
        return {Direction.ROWS: self.width_tiles, Direction.COLUMNS: self.height_tiles, Direction.SLABS: slab}[
            self.direction
        ]

    @property
    def line_elements(self) -> int:
        """What a reduction takes together."""
        slab = self.width * self.height
        return {Direction.ROWS: self.width, Direction.COLUMNS: self.height, Direction.SLABS: slab}[self.direction]

    @property
    def num_lines(self) -> int:
        slabs = self.num_sticks // self.height
        columns = slabs * self.width_tiles
        return {Direction.ROWS: self.num_tile_rows, Direction.COLUMNS: columns, Direction.SLABS: slabs}[self.direction]


@dataclasses.dataclass(frozen=True)
class CoreWork:
    """The lines of tiles one core works on; of tile-rows, where slabs do not matter, also as sticks."""

    core: CoreCoord
    first_line: int
    num_lines: int
    first_stick: int
    num_sticks: int
    direction: Direction = Direction.ROWS

    def value(self, name: str) -> int:
        """What a kernel's runtime argument of a name is: ``num_tile_rows``, ``first_slab`` ..."""
        counter = self.direction.counter
        lines = {f"first_{counter}": self.first_line, f"num_{counter}s": self.num_lines}
        return lines[name] if name in lines else {"first_stick": self.first_stick, "num_sticks": self.num_sticks}[name]


@dataclasses.dataclass(frozen=True)
class RowSplit:
    """Which core has which rows."""

    cores: CoreRangeSet
    work: tuple[CoreWork, ...] = dataclasses.field(hash=False)  # follows from the rows and the cores

    def describe(self) -> str:
        """One line: ``12 tile-rows on 5 cores (2 cores with 3, 3 cores with 2)``."""
        counts = [each.num_lines for each in self.work]
        unit = self.work[0].direction.unit
        groups = [f"{counted(counts.count(size), 'core')} with {size}" for size in sorted(set(counts), reverse=True)]
        return f"{counted(sum(counts), unit)} on {counted(len(counts), 'core')} ({', '.join(groups)})"


@functools.lru_cache(maxsize=256)
def split_rows(rows: TensorRows, selection: CoreSelection) -> RowSplit:
    """Whole lines of tiles, as evenly as they go, in order over the cores."""
    _, cores, more, fewer, lines_more, lines_fewer = split_work_to_cores(selection, rows.num_lines)
    work = []
    first = 0
    for group, lines in ((more, lines_more), (fewer, lines_fewer)):
        for core in corerange_to_cores(group):
            stick = first * TILE_SIZE
            sticks = min(lines * TILE_SIZE, rows.num_sticks - stick)
            work.append(CoreWork(core, first, lines, stick, sticks, rows.direction))
            first += lines
    return RowSplit(cores, tuple(work))


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
