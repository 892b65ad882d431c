# SPDX-License-Identifier: Apache-2.0
"""Where a tensor's pages go: DRAM or L1, interleaved over banks or sharded over cores."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tilewright._tensor.argument import items, require, shown, whole_number
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.ttnn_enum import TtnnEnum


class BufferType(TtnnEnum):
    DRAM = 0
    L1 = 1
    L1_SMALL = 3
    TRACE = 4


class TensorMemoryLayout(TtnnEnum):
    INTERLEAVED = 0
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4
    ND_SHARDED = 5


class ShardOrientation(TtnnEnum):
    ROW_MAJOR = 0
    COL_MAJOR = 1


class ShardSpec:
    """The cores that hold a tensor's shards, and the shape of a shard: rows of all sides but the last, and columns.

    >>> from tilewright._tensor.cores import CoreRange
    >>> ShardSpec(CoreRangeSet([CoreRange((0, 0), (3, 0))]), [32, 64], ShardOrientation.ROW_MAJOR).num_cores()
    4
    """

    def __init__(self, grid: CoreRangeSet, shard_shape: Sequence[int], shard_orientation: ShardOrientation) -> None:
        self.grid = require("grid", grid, CoreRangeSet, "a CoreRangeSet")
        sides = items("shard_shape", shard_shape, "(height, width)", most=2)
        if len(sides) != 2:
            raise TypeError(f"shard_shape must be (height, width), not {shown(shard_shape)}")
        self._shape = tuple(whole_number(f"shard_shape[{index}]", side) for index, side in enumerate(sides))
        allowed = "a ShardOrientation (ROW_MAJOR, COL_MAJOR)"
        self.orientation = require("shard_orientation", shard_orientation, ShardOrientation, allowed)

    @property
    def shape(self) -> list[int]:
        return list(self._shape)

    def num_cores(self) -> int:
        return self.grid.num_cores()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShardSpec):
            return NotImplemented
        return (self.grid, self.shape, self.orientation) == (other.grid, other.shape, other.orientation)

    def __hash__(self) -> int:
        return hash((self.grid, self._shape, self.orientation))

    def __repr__(self) -> str:
        ranges = [(each.start, each.end) for each in self.grid.ranges()]
        grid = ", ".join(  # ttnn closes one brace of two
            f'{{"start":{{"x":{start.x},"y":{start.y}}},"end":{{"x":{end.x},"y":{end.y}}}' for start, end in ranges
        )
        return f"ShardSpec{{grid=[{grid}], shape={self.shape}, orientation=ShardOrientation::{self.orientation.name}}}"


class MemoryConfig:
    """Placement of a tensor: interleaved over all banks, or in shards (``create_sharded_memory_config``).

    >>> MemoryConfig().buffer_type
    BufferType.DRAM
    """

    def __init__(
        self,
        memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED,
        buffer_type: BufferType = BufferType.DRAM,
        shard_spec: ShardSpec | None = None,
    ) -> None:
        if not isinstance(memory_layout, TensorMemoryLayout):
            raise TypeError(f"memory_layout must be a TensorMemoryLayout, not {shown(memory_layout)}")
        if not isinstance(buffer_type, BufferType):
            raise TypeError(f"buffer_type must be a BufferType, not {shown(buffer_type)}")
        if shard_spec is not None:
            require("shard_spec", shard_spec, ShardSpec, "a ShardSpec or None")
        self._memory_layout = memory_layout
        self._buffer_type = buffer_type
        self._shard_spec = shard_spec

    @property
    def memory_layout(self) -> TensorMemoryLayout:
        return self._memory_layout

    @property
    def buffer_type(self) -> BufferType:
        return self._buffer_type

    @property
    def shard_spec(self) -> ShardSpec | None:
        return self._shard_spec

    @property
    def nd_shard_spec(self) -> None:
        return None

    @property
    def place(self) -> str:
        """Memory and sharding in a few words (ours): ``L1``, ``L1 HEIGHT_SHARDED``."""
        name = self._buffer_type.name
        return name if self.interleaved else f"{name} {self._memory_layout.name}"

    @property
    def interleaved(self) -> bool:
        return self._memory_layout is TensorMemoryLayout.INTERLEAVED

    def is_sharded(self) -> bool:
        return not self.interleaved

    def to_json(self) -> str:
        value: dict[str, object] = {
            "buffer_type": self._buffer_type.value,
            "created_with_nd_shard_spec": False,
            "memory_layout": self._memory_layout.value,
            "per_core_allocation": False,
        }
        spec = self._shard_spec
        if spec is not None:
            value["shard_spec"] = {
                "grid": json.loads(spec.grid.to_json()),
                "orientation": spec.orientation.value,
                "shape": spec.shape,
            }
        return json.dumps(value, separators=(",", ":"), sort_keys=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryConfig):
            return NotImplemented
        return (self._memory_layout, self._buffer_type, self._shard_spec) == (
            other._memory_layout,
            other._buffer_type,
            other._shard_spec,
        )

    def __hash__(self) -> int:
        return hash((self._memory_layout, self._buffer_type, self._shard_spec))

    def __repr__(self) -> str:
        shard_spec = "std::nullopt" if self._shard_spec is None else repr(self._shard_spec)
        return (
            f"MemoryConfig(memory_layout=TensorMemoryLayout::{self._memory_layout.name},"
            f"buffer_type=BufferType::{self._buffer_type.name},shard_spec={shard_spec},nd_shard_spec=std::nullopt,"
            "created_with_nd_shard_spec=0,per_core_allocation=0,range_lockstep_allocation=0)"
        )


def require_memory_config(value: object) -> MemoryConfig:
    """``value``, if it is a memory config."""
    return require("memory_config", value, MemoryConfig, "a ttnn.MemoryConfig")


DRAM_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)
L1_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)
