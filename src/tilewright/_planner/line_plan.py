# SPDX-License-Identifier: Apache-2.0
"""Sizes, blocks, CB pages and kernel arguments for lines of tiles that pass through a core.

A line is a tile-row, a tile-column or a slab of the last two dimensions. It goes through a core in blocks of tiles. Of
the ways an operation has to run, the first whose circular buffers fit the core's L1 is taken, with the best blocks.

Plain arithmetic, and nothing but Python's own library: an exported package has a copy of this file, and plans with it.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Iterator, Mapping, Sequence

TILE = 32

# Larger blocks of a streamed line save nothing; smaller ones of a resident line cost more than reading it again.
LARGEST_STREAMING_BLOCK_TILES = 64
SMALLEST_RESIDENT_BLOCK_TILES = 8
# A resident line that has to be split moves best in small blocks: reader, compute and writer overlap more, and the rest
# of L1 stays free. A row of 16 tiles is still 1 KiB at a time from DRAM.
BEST_RESIDENT_BLOCK_TILES = 16
# Tiles of a matrix that are sent to other cores at a time: fewer cost more waiting, more come later.
LARGEST_SHARED_TILES = 16
# Strategies in which a line that several passes read is in L1 as a whole.
KEEP_LINES = ("resident", "partly_resident")


class Lines:
    """The lines of tiles of a tensor.

    Attributes:
        shape: of the tensor.
        in_slabs: whether tile-rows begin anew with every slab of the last two dimensions.
        direction: of the lines: ``rows``, ``columns`` or ``slabs``.
        inner_width: elements of a row that is multiplied by a matrix; 0 without one.
        part_tiles: tiles of the part of a line that a core has; 0 if it has whole lines.
        keeps_right: whether the part of the matrix that a core multiplies by stays in L1.
        left_rows: tile-rows of what is multiplied that L1 has room for, 1 or 2.
        right_blocks: blocks of the matrix that L1 has room for, 1 or 2.
        left_parts: parts of a row that is multiplied, which cores compute for each other; 1 where each computes all.
        segments: parts of a line that cores take by themselves; 1 where a line is one core's.
    """

    shape: tuple[int, ...]
    in_slabs: bool
    direction: str
    inner_width: int
    part_tiles: int = 0
    keeps_right: bool = False
    left_rows: int = 1
    right_blocks: int = 1
    left_parts: int = 1
    segments: int = 1

    @property
    def width(self) -> int:
        return self.shape[-1]

    @property
    def num_sticks(self) -> int:
        """Rows of elements, in all slabs."""
        return math.prod(self.shape[:-1])

    @property
    def width_tiles(self) -> int:
        """Wt: tiles a stick reaches into."""
        return -(-self.width // TILE)

    @property
    def inner_tiles(self) -> int:
        """Kt: tiles of a row that is multiplied by a matrix."""
        return -(-self.inner_width // TILE)

    @property
    def left_part_tiles(self) -> int:
        """Tiles of a row that is multiplied by a matrix, of which a core computes a part."""
        return self.inner_tiles // self.left_parts

    @property
    def height(self) -> int:
        """Rows of a slab; all rows where slabs do not matter."""
        return self.shape[-2] if self.in_slabs else self.num_sticks

    @property
    def height_tiles(self) -> int:
        return -(-self.height // TILE)

    @property
    def num_tile_rows(self) -> int:
        return self.num_sticks // self.height * self.height_tiles

    @property
    def last_tile_columns(self) -> int:
        """Columns of the last tile of a row that belong to the tensor, 1 to 32."""
        return self.width - (self.width_tiles - 1) * TILE

    @property
    def last_tile_rows(self) -> int:
        """Rows of a slab's last tiles that belong to the tensor, 1 to 32."""
        return self.height - (self.height_tiles - 1) * TILE

    @property
    def line_tiles(self) -> int:
        slab = self.width_tiles * self.height_tiles
        return {"rows": self.width_tiles, "columns": self.height_tiles, "slabs": slab}[self.direction]

    @property
    def core_tiles(self) -> int:
        """Tiles of a line that one core works on."""
        return self.part_tiles or self.line_tiles

    @property
    def line_parts(self) -> int:
        """Cores that have a part of a line each and exchange what they reduce; 1 where a line is one core's."""
        return self.line_tiles // self.part_tiles if self.part_tiles and not self.inner_width else 1

    @property
    def computed_parts(self) -> int:
        """Parts of a line, or of a row that is multiplied, that different cores compute."""
        return self.left_parts if self.inner_width else self.line_parts

    @property
    def line_elements(self) -> int:
        """The elements that a reduction combines."""
        slab = self.width * self.height
        return {"rows": self.width, "columns": self.height, "slabs": slab}[self.direction]

    @property
    def num_lines(self) -> int:
        """Lines, or segments of them, that are distributed over cores."""
        slabs = self.num_sticks // self.height
        columns = slabs * self.width_tiles
        lines = {"rows": self.num_tile_rows, "columns": columns, "slabs": slabs}[self.direction]
        return lines * self.segments


@dataclasses.dataclass(frozen=True)
class PageCount:
    """Pages of a buffer: so many for each tile of a line, for each tile of a block, and so many in all.

    Attributes:
        per_row: of the line that stays in L1; a streaming plan has blocks only, so there they count per block.
        partial: one more of ``fixed`` where the width ends inside a tile.
        per_inner: for each tile of a row that is multiplied by a matrix.
        per_inner_block: for each of those and each tile of a block, and each block that there is room for; one for each
            tile of all blocks where the matrix stays in L1.
        per_left: for each tile of a row that is multiplied, and each such row that there is room for.
        per_left_part: for each tile of the part of such a row that a core computes.
        per_part: for each core that has a part of a line.
    """

    per_row: int = 0
    per_block: int = 0
    fixed: int = 0
    partial: int = 0
    per_inner: int = 0
    per_inner_block: int = 0
    per_left: int = 0
    per_part: int = 0
    per_left_part: int = 0

    def pages(
        self,
        row_tiles: int,
        block_tiles: int,
        is_partial: bool,
        inner_tiles: int = 0,
        left_rows: int = 1,
        right_blocks: int = 1,
        line_parts: int = 1,
    ) -> int:
        whole = self.per_row * row_tiles + self.per_block * block_tiles
        whole += (self.per_inner + self.per_left * left_rows) * inner_tiles
        whole += self.per_left_part * (inner_tiles // line_parts)
        whole += self.per_inner_block * inner_tiles * block_tiles * right_blocks
        return whole + self.fixed + self.per_part * line_parts + (self.partial if is_partial else 0)

    def formula(
        self, row: str, block: str, is_partial: bool, left_rows: int = 1, right_blocks: int = 1, line_parts: int = 1
    ) -> str:
        """``2*Wt`` for two pages for each tile of a row."""
        counts = {row: self.per_row}
        counts[block] = counts.get(block, 0) + self.per_block
        counts |= {"Kt": self.per_inner + self.per_left * left_rows, f"Kt*{block}": self.per_inner_block * right_blocks}
        counts |= {f"Kt/{line_parts}": self.per_left_part}
        terms = [symbol if count == 1 else f"{count}*{symbol}" for symbol, count in counts.items() if count]
        rest = self.pages(0, 0, is_partial, line_parts=line_parts)
        return " + ".join([*terms, str(rest)] if rest or not terms else terms)


@dataclasses.dataclass(frozen=True)
class BufferSize:
    """Inputs of a circular buffer's size; a page is a tile, or with ``stick_bytes`` a row of a block.

    Attributes:
        stick_bytes: of an element, where a page is a row of a block; else 0.
    """

    count: PageCount
    tile_bytes: int
    stick_bytes: int = 0

    def of(self, lines: Lines, strategy: str, block_tiles: int) -> tuple[int, int]:
        """Pages, and the bytes of one."""
        row_tiles = lines.core_tiles if strategy in KEEP_LINES else block_tiles
        is_partial = lines.last_tile_columns < TILE
        others = lines.inner_tiles, lines.left_rows, lines.right_blocks, lines.computed_parts
        pages = self.count.pages(row_tiles, block_tiles, is_partial, *others)
        if lines.keeps_right and self.count.per_inner_block:
            pages = lines.inner_tiles * num_blocks(lines, block_tiles) * block_tiles
        return pages, block_tiles * TILE * self.stick_bytes if self.stick_bytes else self.tile_bytes


def candidates(
    lines: Lines, strategies: Sequence[str], strategy: str | None = None, block_tiles: int | None = None
) -> Iterator[tuple[str, int]]:
    """Strategies and blocks in the order they are tried, best first; only those asked for."""
    for each in strategies:
        if strategy in (None, each):
            for block in _blocks(lines.core_tiles, each) if block_tiles is None else [block_tiles]:
                if each not in KEEP_LINES or lines.core_tiles % block == 0:
                    yield each, block


def num_blocks(lines: Lines, block_tiles: int) -> int:
    """Blocks of the part of a line that one core works on."""
    return -(-lines.core_tiles // block_tiles)


def l1_bytes(buffers: Sequence[BufferSize], lines: Lines, strategy: str, block_tiles: int) -> int:
    """L1 bytes of a core's circular buffers."""
    return sum(math.prod(each.of(lines, strategy, block_tiles)) for each in buffers)


def _blocks(line_tiles: int, strategy: str) -> Iterator[int]:
    if strategy != "streaming":
        yield from _resident_blocks(line_tiles)
    if strategy not in KEEP_LINES:
        yield from _streaming_blocks(line_tiles)


def _resident_blocks(line_tiles: int) -> list[int]:
    """Blocks that divide the line: its tiles stay, and pages must not run over the end of a buffer."""
    smallest = min(line_tiles, SMALLEST_RESIDENT_BLOCK_TILES)
    parts = [block for block in range(line_tiles // 2, smallest - 1, -1) if line_tiles % block == 0]
    small = [block for block in parts if block <= BEST_RESIDENT_BLOCK_TILES]
    return [line_tiles, *small, *(block for block in parts if block > BEST_RESIDENT_BLOCK_TILES)]


def _streaming_blocks(line_tiles: int) -> Iterator[int]:
    """Blocks of which the last is filled as well as can be."""
    for largest in range(min(LARGEST_STREAMING_BLOCK_TILES, line_tiles), 0, -1):
        num_blocks = -(-line_tiles // largest)
        yield -(-line_tiles // num_blocks)


def float_bits(value: float) -> int:
    """The bits of the nearest float32."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def mean_factor(count: int) -> float:
    """Factor from a sum to a mean that is used further: 1/count, and a little more.

    The matrix unit cuts a float32 operand to 10 mantissa bits. A mean that came out one unit in the last place low
    would lose 2^-10 of its value, and a row of equal numbers would not be centred to zero. 2^-12 more makes the cut
    round instead: a number of 11 significant bits comes out as itself.
    """
    return (1 + 2.0**-12) / count


def compile_time_values(lines: Lines, block_tiles: int, element_bytes: Mapping[str, int]) -> dict[str, int]:
    """Everything a kernel may take as a compile-time argument, by name.

    Args:
        element_bytes: of tensors by name; the first input's by an empty name.
    """
    count = num_blocks(lines, block_tiles)
    length = {"rows": "width", "columns": "height", "slabs": "slab"}[lines.direction]
    values = {
        "height": lines.height,
        "width": lines.width,
        "height_tiles": lines.height_tiles,
        "width_tiles": lines.width_tiles,
        "slab_tiles": lines.width_tiles * lines.height_tiles,
        "part_tiles": lines.core_tiles,
        "line_parts": lines.computed_parts,
        "block_tiles": block_tiles,
        "num_blocks": count,
        "line_segments": lines.segments,
        "segment_blocks": count // lines.segments,
        "last_block_tiles": lines.core_tiles - (count - 1) * block_tiles,
        "last_tile_columns": lines.last_tile_columns,
        "last_tile_rows": lines.last_tile_rows,
        "inner_width": lines.inner_width,
        "inner_tiles": lines.inner_tiles,
        "inner_group_tiles": _inner_group(lines.inner_tiles, block_tiles),
        "left_group_tiles": _inner_group(lines.inner_tiles, 1),
        "left_part_tiles": lines.left_part_tiles,
        "keeps_right": int(lines.keeps_right),
        "all_tile_rows": lines.num_tile_rows,
        "inner_last_tile_columns": lines.inner_width - (lines.inner_tiles - 1) * TILE,
        "inverse_inner_bits": float_bits(1 / max(1, lines.inner_width)),
        "inner_mean_factor_bits": float_bits(mean_factor(max(1, lines.inner_width))),
        f"inverse_{length}_bits": float_bits(1 / lines.line_elements),
        "mean_factor_bits": float_bits(mean_factor(lines.line_elements)),
    }
    for name, size in element_bytes.items():
        prefix = f"{name}_" if name else ""
        values[f"{prefix}stick_bytes"] = lines.width * size
        values[f"{prefix}block_bytes"] = block_tiles * TILE * size
        values[f"{prefix}element_bytes"] = size
    return values


def _inner_group(inner_tiles: int, block_tiles: int) -> int:
    """Tile-rows of a block of a matrix, or tiles of a row that it multiplies, that are read and sent at a time."""
    sizes = [each for each in range(1, inner_tiles + 1) if inner_tiles % each == 0]
    return max([each for each in sizes if each * block_tiles <= LARGEST_SHARED_TILES], default=1)


def core_values(lines: Lines, first_line: int, num_lines: int) -> dict[str, int]:
    """Runtime arguments with a core's share of the work, by name: ``first_tile_row``, ``num_slabs`` ..."""
    if lines.segments > 1:
        return {"first_segment": first_line, "num_segments": num_lines}
    counter = {"rows": "tile_row", "columns": "tile_column", "slabs": "slab"}[lines.direction]
    first_stick = first_line * TILE
    return {
        f"first_{counter}": first_line,
        f"num_{counter}s": num_lines,
        "first_stick": first_stick,
        "num_sticks": min(num_lines * TILE, lines.num_sticks - first_stick),
    }
