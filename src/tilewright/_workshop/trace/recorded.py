# SPDX-License-Identifier: Apache-2.0
"""Recorded pages as arrays, reassembled by line and core."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from tilewright._planner.plan import Plan, PlannedBuffer
from tilewright._record.run import RecordedPages
from tilewright._tensor.tile import TILE_SIZE
from tilewright._workshop.trace.steps import Float64
from tilewright.formula._direction import Direction
from tilewright.kernels.phases import Region


@dataclasses.dataclass(frozen=True, eq=False)
class Recorded:
    """Pages of one call over the whole run.

    Attributes:
        tiles: one array of 32 x 32 for each tile, or of 32 rows for each block of row-major rows.
        tile_rows: the tile-row, or line that goes another way, each belongs to; -1 where it does not depend on one.
        columns: the first column of each, among the tiles of its line.
        rounds: how often each line came.
        problem: why the pages do not add up; empty if they do.
    """

    tiles: list[Float64]
    tile_rows: list[int]
    columns: list[int]
    rounds: int = 1
    problem: str = ""


def blocks_of(
    pushes: Sequence[RecordedPages], buffer: PlannedBuffer, region: Region, by_tile: bool = False
) -> list[Float64]:
    """The pages of some pushes as arrays of 32 rows; ``by_tile``: rows are those of one tile in each page."""
    blocks: list[Float64] = []
    for push in pushes:
        with np.errstate(invalid="ignore"):  # poison is not a number
            values = push.data.reshape(-1).view(buffer.dtype.numpy_dtype).astype(np.float64)
        if region is Region.ROWS and by_tile:
            blocks.extend(values.reshape(-1, TILE_SIZE, TILE_SIZE))
        elif region is Region.ROWS:
            blocks.append(values.reshape(TILE_SIZE, -1))
        else:
            faces = values.reshape(-1, 2, 2, TILE_SIZE // 2, TILE_SIZE // 2)
            blocks.extend(faces.transpose(0, 1, 3, 2, 4).reshape(-1, TILE_SIZE, TILE_SIZE))
    return blocks


def place(
    pushes: Sequence[RecordedPages],
    buffer: PlannedBuffer,
    region: Region,
    plan: Plan,
    num_tiles: int,
    is_per_line: bool,
    is_cut: bool = False,
    is_left: bool = False,
) -> Recorded:
    """Puts the pages of one call where they belong.

    Args:
        num_tiles: of a line.
        is_per_line: whether every line has its own.
        is_cut: whether each core has its own part of a line.
        is_left: whether that is a part of a row that is multiplied.
    """
    tiles: list[Float64] = []
    tile_rows: list[int] = []
    columns: list[int] = []
    rounds, problem, segments = 1, "", plan.rows.segments
    parts = plan.rows.left_parts if is_left else plan.rows.line_parts
    for work in plan.split.work:
        core = (work.core.x, work.core.y)
        by_tile = plan.rows.direction is not Direction.ROWS
        blocks = blocks_of([each for each in pushes if each.core == core], buffer, region, by_tile)
        if not blocks:
            continue
        count = work.num_lines if is_per_line else 1
        per_row = -(-num_tiles * TILE_SIZE // blocks[0].shape[1])
        # Of a line that cores share, a core has its segments; what each of them needs in full it has in full.
        is_shared = is_per_line and segments > 1 and len(blocks) * segments == per_row * count
        per_row = per_row // segments if is_shared else per_row
        has_part = is_cut and parts > 1  # and of what serves all lines that part, too
        per_row = per_row // parts if has_part else per_row
        rounds, left = divmod(len(blocks), per_row * count)
        if left or not rounds:
            rounds = 1
            what = "blocks of rows" if region is Region.ROWS else "pages"
            problem = problem or (
                f"core ({core[0]},{core[1]}) pushed {len(blocks)} {what}, which is not {per_row} "
                f"for each of {count} {plan.rows.direction.unit}s"
            )
        for position, block in enumerate(blocks):
            tiles.append(block)
            line, segment = divmod(work.first_line + position // (per_row * rounds), segments)
            first = segment * per_row if is_shared else 0
            own = (work.first_left_tile if is_left else work.first_tile) if is_cut else 0
            columns.append((first + position % per_row) * block.shape[1] + own * TILE_SIZE)
            tile_rows.append(line if is_per_line else -1)
    return Recorded(tiles, tile_rows, columns, rounds, problem)


def whole(recorded: Recorded, num_rows: int, width: int) -> Float64:
    """All tiles as one array of the reference's shape; NaN where nothing came. Of several rounds the last counts."""
    result = np.full((num_rows, width), np.nan)
    for tile, tile_row, column in zip(recorded.tiles, recorded.tile_rows, recorded.columns, strict=True):
        first = max(tile_row, 0) * TILE_SIZE
        rows, columns = min(TILE_SIZE, num_rows - first), min(tile.shape[1], width - column)
        if rows > 0 and columns > 0:
            result[first : first + rows, column : column + columns] = tile[:rows, :columns]
    return result
