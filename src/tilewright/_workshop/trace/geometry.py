# SPDX-License-Identifier: Apache-2.0
"""Tile geometry of traced values.

A line is a tile-row, a tile-column or a slab (:mod:`tilewright.formula._direction`). Tile j of line i lies at rows 32 i
and columns 32 j of a *lined* array, whichever way lines go, with NaN where a tile holds nothing of the tensor. Along
rows of one sequence that is the tensor itself, all its rows one below the other.
"""

from __future__ import annotations

import numpy as np

from tilewright._planner.plan import Plan
from tilewright._tensor.tile import TILE_SIZE
from tilewright._workshop.trace.steps import Float64
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent


class Geometry:
    """How values of a plan become lines, and lines values."""

    def __init__(self, plan: Plan) -> None:
        rows = plan.rows
        self._plan = plan
        self._direction = rows.direction
        # All rows are one sequence: leading dimensions do not matter.
        self._is_flat = rows.direction is Direction.ROWS and not rows.in_slabs
        self._lead = tuple(rows.shape[:-2])

    def natural(self, array: Float64) -> Float64:
        """A tensor as formulas take it here."""
        return array.reshape(-1, array.shape[-1]) if self._is_flat or array.ndim < 2 else array

    def is_per_line(self, extent: Extent) -> bool:
        """Whether every line has its own."""
        return extent in (Extent.FULL, Extent.COLUMN)

    def tiles_of_line(self, extent: Extent, inner: bool) -> int:
        """Tiles that come for a line, those that fill up its last block too."""
        if extent not in (Extent.FULL, Extent.ROW):
            return 1
        return self._plan.rows.inner_tiles if inner else self._plan.num_blocks * self._plan.block_tiles

    def lined(self, value: Float64, extent: Extent) -> Float64:
        """A value of two dimensions, as its tiles come."""
        if self._is_flat or not self.is_per_line(extent):
            return np.atleast_2d(value).reshape(-1, np.shape(value)[-1] if np.ndim(value) else 1)
        tiles = self._tiled(self._slabs(value))
        _, down, _, across, _ = tiles.shape
        if self._direction is Direction.ROWS:
            return np.asarray(tiles.reshape(-1, across * TILE_SIZE)[:, : np.shape(value)[-1]])
        if self._direction is Direction.COLUMNS:
            return np.asarray(tiles.transpose(0, 3, 2, 1, 4).reshape(-1, down * TILE_SIZE))
        return np.asarray(tiles.transpose(0, 2, 1, 3, 4).reshape(-1, down * across * TILE_SIZE))

    def value_of(self, lined: Float64, like: Float64, extent: Extent) -> Float64:
        """The value that lines are of; ``like`` has its shape."""
        if self._is_flat or not self.is_per_line(extent):
            return lined.reshape(np.shape(like)) if lined.size == np.size(like) else lined
        height, width = self._slabs(like).shape[-2:]
        down, across = -(-height // TILE_SIZE), -(-width // TILE_SIZE)
        if self._direction is Direction.ROWS:
            padded = np.full((lined.shape[0], across * TILE_SIZE), np.nan)
            padded[:, :width] = lined
            tiles = padded.reshape(-1, down, TILE_SIZE, across, TILE_SIZE)
        elif self._direction is Direction.COLUMNS:
            tiles = lined.reshape(-1, across, TILE_SIZE, down, TILE_SIZE).transpose(0, 3, 2, 1, 4)
        else:
            tiles = lined.reshape(-1, TILE_SIZE, down, across, TILE_SIZE).transpose(0, 2, 1, 3, 4)
        whole = tiles.reshape(-1, down * TILE_SIZE, across * TILE_SIZE)[:, :height, :width]
        return whole.reshape(np.shape(like))

    def element(self, row: int, column: int, value: Float64, extent: Extent) -> tuple[int, int]:
        """Row and column in the tensor, its leading dimensions one below the other, of a place in lines."""
        if self._is_flat or not self.is_per_line(extent):
            return row, column
        slabs = self._slabs(value)
        numbers = np.arange(slabs.size, dtype=np.float64).reshape(slabs.shape)
        number = int(self.lined(numbers, extent)[row, column])
        width = int(slabs.shape[-1])
        return number // width, number % width

    def _slabs(self, value: Float64) -> Float64:
        """A value with one dimension for all slabs, of as many as the plan's tensor has."""
        sides = np.shape(value)[-2:] if np.ndim(value) > 1 else (1, np.size(value))
        lead = () if np.ndim(value) < 2 else np.shape(value)[:-2]
        if lead != self._lead and np.ndim(value) != 3:
            value = np.broadcast_to(value, (*self._lead, *sides))
        return np.asarray(value).reshape(-1, *sides)

    def _tiled(self, slabs: Float64) -> Float64:
        """Slab, tile-row, row in the tile, tile-column, column in the tile."""
        count, height, width = slabs.shape
        down, across = -(-height // TILE_SIZE), -(-width // TILE_SIZE)
        padded = np.full((count, down * TILE_SIZE, across * TILE_SIZE), np.nan)
        padded[:, :height, :width] = slabs
        return padded.reshape(count, down, TILE_SIZE, across, TILE_SIZE)
