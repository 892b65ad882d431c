# SPDX-License-Identifier: Apache-2.0
"""``create_sharded_memory_config``: shards of a tensor, from its shape and the cores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilewright._tensor.argument import flag, require, shown
from tilewright._tensor.cores import CoreGrid, CoreRange, CoreRangeSet
from tilewright._tensor.memory_config import BufferType, MemoryConfig, ShardOrientation, ShardSpec, TensorMemoryLayout
from tilewright._tensor.shape import Shape
from tilewright._tensor.ttnn_enum import TtnnEnum


class ShardStrategy(TtnnEnum):
    """What a tensor's shards share: whole rows (HEIGHT), whole columns (WIDTH), neither (BLOCK)."""

    HEIGHT = 1
    WIDTH = 2
    BLOCK = 3


_LAYOUTS = {
    ShardStrategy.HEIGHT: TensorMemoryLayout.HEIGHT_SHARDED,
    ShardStrategy.WIDTH: TensorMemoryLayout.WIDTH_SHARDED,
    ShardStrategy.BLOCK: TensorMemoryLayout.BLOCK_SHARDED,
}


def create_sharded_memory_config(
    shape: Shape | Sequence[int],
    core_grid: CoreGrid | CoreRangeSet,
    strategy: ShardStrategy,
    orientation: ShardOrientation | None = None,
    use_height_and_width_as_shard_shape: bool = False,
) -> MemoryConfig:
    """A placement in L1 with one shard for each core, or with shards of ``shape`` itself.

    As in ttnn, the cores must divide the tensor evenly, a ``CoreRangeSet`` goes with
    ``use_height_and_width_as_shard_shape`` only, and a ``COL_MAJOR`` orientation then exchanges height and width.

    >>> create_sharded_memory_config((1, 1, 128, 64), CoreGrid(x=4, y=1), ShardStrategy.HEIGHT).shard_spec.shape
    [32, 64]
    """
    sides = Shape(shape)
    if sides.rank < 2:
        raise ValueError(f"shape must have a height and a width, not {sides}")
    require("strategy", strategy, ShardStrategy, "a ttnn.ShardStrategy (HEIGHT, WIDTH, BLOCK)")
    chosen = ShardOrientation.ROW_MAJOR if orientation is None else orientation
    require("orientation", chosen, ShardOrientation, "a ttnn.ShardOrientation (ROW_MAJOR, COL_MAJOR) or None")
    by_rows = chosen is ShardOrientation.ROW_MAJOR
    if flag("use_height_and_width_as_shard_shape", use_height_and_width_as_shard_shape):
        shard = (sides[-2], sides[-1]) if by_rows else (sides[-1], sides[-2])
    elif isinstance(core_grid, CoreRangeSet):
        raise ValueError(
            "core_grid may be a CoreRangeSet only with use_height_and_width_as_shard_shape=True; give a ttnn.CoreGrid, "
            "or a shard's shape"
        )
    else:
        shard = _shares(sides, require("core_grid", core_grid, CoreGrid, _GRIDS), strategy, by_rows)
    return MemoryConfig(_LAYOUTS[strategy], BufferType.L1, ShardSpec(_cores(core_grid), shard, chosen))


_GRIDS = "a ttnn.CoreGrid or a ttnn.CoreRangeSet"


def _cores(core_grid: CoreGrid | CoreRangeSet) -> CoreRangeSet:
    if isinstance(core_grid, CoreRangeSet):
        return core_grid
    grid = require("core_grid", core_grid, CoreGrid, _GRIDS)
    return CoreRangeSet([CoreRange((0, 0), (grid.x - 1, grid.y - 1))])


def _shares(sides: Shape, grid: CoreGrid, strategy: ShardStrategy, by_rows: bool) -> tuple[int, int]:
    """Height and width of the shards of a tensor that the cores divide evenly."""
    height, width = math.prod(list(sides)[:-1]), sides[-1]
    if strategy is ShardStrategy.BLOCK:
        down, across = (grid.y, grid.x) if by_rows else (grid.x, grid.y)
    else:
        down, across = (grid.num_cores, 1) if strategy is ShardStrategy.HEIGHT else (1, grid.num_cores)
    for name, side, parts in (("height", height, down), ("width", width, across)):
        if side % parts:
            raise ValueError(
                f"core_grid: Invalid sharding core_grid: {strategy.name} sharding over {shown(grid)} cuts the {name} "
                f"{side} into {parts}, which does not divide it"
            )
    return height // down, width // across
