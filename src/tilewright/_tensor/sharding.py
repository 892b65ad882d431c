# SPDX-License-Identifier: Apache-2.0
"""Sharded tensors: the shards of their pages, and the cores that hold them.

A tensor is a matrix here: all sides but the last are rows. It is cut into pages (tiles, or rows of a shard's width),
and the matrix of pages into shards, row by row. Shard ``i`` of a height or width sharded tensor lies on core ``i`` of
the grid, whose cores are counted by rows or by columns (``ShardOrientation``); shard ``(i, j)`` of a block sharded one
on the core in row ``i`` and column ``j`` of the grid, or in column ``i`` and row ``j``. Within a shard pages lie row by
row. The last shards may be short: their memory is as large as that of the others.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

import numpy as np

from tilewright._tensor.cores import CoreCoord, ordered_cores
from tilewright._tensor.layout import Layout, padded_shape, page_geometry
from tilewright._tensor.memory_config import BufferType, MemoryConfig, ShardOrientation, ShardSpec, TensorMemoryLayout

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tilewright._tensor.dtype import DataType
    from tilewright._tensor.shape import Shape
    from tilewright._tensor.tile import Tile


@dataclasses.dataclass(frozen=True)
class Sharding:
    """The shards of a tensor. Rows and columns are of pages.

    Attributes:
        tensor: rows and columns of the tensor.
        shard: rows and columns of a shard.
        cores: cores in the order in which they get shards; those at the end may get none.
    """

    tensor: tuple[int, int]
    shard: tuple[int, int]
    cores: tuple[CoreCoord, ...]

    @property
    def pages_per_core(self) -> int:
        """Pages that each core has room for."""
        return self.shard[0] * self.shard[1]

    @property
    def num_shards(self) -> int:
        return -(-self.tensor[0] // self.shard[0]) * -(-self.tensor[1] // self.shard[1])

    def places(self, bank_of: Callable[[CoreCoord], int]) -> NDArray[np.uint32]:
        """``bank * pages_per_core + page of the bank`` for each page of the tensor."""
        rows, columns = np.divmod(np.arange(self.tensor[0] * self.tensor[1]), self.tensor[1])
        across = -(-self.tensor[1] // self.shard[1])
        shards = rows // self.shard[0] * across + columns // self.shard[1]
        in_shard = rows % self.shard[0] * self.shard[1] + columns % self.shard[1]
        banks = np.array([bank_of(core) for core in self.cores])
        places: NDArray[np.uint32] = (banks[shards] * self.pages_per_core + in_shard).astype(np.uint32)
        return places


def page_width(layout: Layout, memory_config: MemoryConfig) -> int | None:
    """Elements of a page of row-major shards that cut rows; None where a page is a whole row or a tile."""
    spec = memory_config.shard_spec
    cuts_rows = memory_config.memory_layout in (TensorMemoryLayout.WIDTH_SHARDED, TensorMemoryLayout.BLOCK_SHARDED)
    return spec.shape[1] if spec is not None and cuts_rows and layout is Layout.ROW_MAJOR else None


@functools.lru_cache(maxsize=1024)
def sharding_of(
    shape: Shape, dtype: DataType, layout: Layout, tile: Tile, memory_config: MemoryConfig
) -> Sharding | None:
    """The shards of such a tensor; None if it is interleaved.

    Raises:
        NotImplementedError: tilewright has no such memory.
        ValueError: the shards do not fit the tensor; ttnn says so in the same words.
    """
    if memory_config.buffer_type not in (BufferType.DRAM, BufferType.L1):
        raise NotImplementedError(
            f"memory_config: tilewright has no {memory_config.buffer_type.name} memory; use BufferType.DRAM or L1"
        )
    if memory_config.interleaved:
        return None
    kind, spec = memory_config.memory_layout, memory_config.shard_spec
    if kind is TensorMemoryLayout.ND_SHARDED:
        raise NotImplementedError(
            "memory_config: tilewright does not allocate ND_SHARDED tensors; "
            "use HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED or INTERLEAVED"
        )
    if spec is None:
        raise ValueError(
            f"memory_config: {kind.name} needs a shard_spec, not None; ttnn.create_sharded_memory_config makes one"
        )
    if min(spec.shape) < 1:
        raise ValueError(
            f"memory_config: Shard shape must be greater than 0 in each sharded dim, got {list(spec.shape)}"
        )
    width = page_width(layout, memory_config)
    padded = padded_shape(shape, layout, tile, width)
    matrix = (padded.volume() // padded[-1] if padded[-1] else 0, padded[-1])
    problem = _misfit(matrix, kind, spec)
    if problem is not None:
        raise ValueError(f"memory_config: {problem}")
    sides = (tile.height, tile.width) if layout is Layout.TILE else (1, spec.shape[1])
    if spec.shape[0] % sides[0] or spec.shape[1] % sides[1]:
        raise ValueError(
            f"memory_config: Physical shard shape ({spec.shape[0]}, {spec.shape[1]}) must be tile "
            f"{{{tile.height}, {tile.width}}} sized!"
        )
    rows, columns = -(-matrix[0] // sides[0]), -(-matrix[1] // sides[1])
    if not page_geometry(shape, dtype, layout, tile, width)[1]:
        rows = 0
    shard = spec.shape[0] // sides[0], spec.shape[1] // sides[1]
    return Sharding((rows, columns), shard, _cores(kind, spec, -(-rows // shard[0]), -(-columns // shard[1])))


def _misfit(matrix: tuple[int, int], kind: TensorMemoryLayout, spec: ShardSpec) -> str | None:
    """Why shards cannot hold a matrix, in ttnn's words."""
    names = ("height", "width")
    down, across = counts = [-(-side // part) for side, part in zip(matrix, spec.shape, strict=True)]
    if kind is not TensorMemoryLayout.BLOCK_SHARDED:
        cut = 0 if kind is TensorMemoryLayout.HEIGHT_SHARDED else 1
        whole = 1 - cut
        if spec.shape[whole] != matrix[whole]:
            return (
                f"Shard {names[whole]} {spec.shape[whole]} must match physical {names[whole]} {matrix[whole]} "
                f"for {names[cut]} sharded"
            )
        if counts[cut] > spec.num_cores():
            return (
                f"Number of shards along {names[cut]} {counts[cut]} must not exceed number of cores {spec.num_cores()}"
            )
        return None
    if spec.grid.size() != 1:
        return "Shard grid must be one full rectangular grid for block sharded!"
    size = spec.grid.ranges()[0].grid_size()
    by_rows = spec.orientation is ShardOrientation.ROW_MAJOR
    order = "row major" if by_rows else "column major"
    lines = (("rows", size.y), ("columns", size.x)) if by_rows else (("columns", size.x), ("rows", size.y))
    for side, count, (noun, allowed) in zip(names, (down, across), lines, strict=True):
        if count > allowed:
            return (
                f"Number of shards along {side} {count} must not exceed number of {noun} {allowed} for {order} "
                "orientation!"
            )
    return None


def _cores(kind: TensorMemoryLayout, spec: ShardSpec, down: int, across: int) -> tuple[CoreCoord, ...]:
    by_rows = spec.orientation is ShardOrientation.ROW_MAJOR
    if kind is not TensorMemoryLayout.BLOCK_SHARDED:
        return tuple(ordered_cores(spec.grid, by_rows))
    start = spec.grid.ranges()[0].start
    return tuple(
        CoreCoord(start.x + (column if by_rows else row), start.y + (row if by_rows else column))
        for row in range(down)
        for column in range(across)
    )
