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
    """The cores a tensor is cut over, and the shape of each core's piece."""

    def __init__(self, grid: CoreRangeSet, shard_shape: Sequence[int], shard_orientation: ShardOrientation) -> None:
        self.grid = require("grid", grid, CoreRangeSet, "a CoreRangeSet")
        sides = items("shard_shape", shard_shape, "(height, width)", most=64)
        self.shape = [whole_number(f"shard_shape[{index}]", side) for index, side in enumerate(sides)]
        allowed = "a ShardOrientation (ROW_MAJOR, COL_MAJOR)"
        self.orientation = require("shard_orientation", shard_orientation, ShardOrientation, allowed)

    def num_cores(self) -> int:
        return self.grid.num_cores()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShardSpec):
            return NotImplemented
        return (self.grid, self.shape, self.orientation) == (other.grid, other.shape, other.orientation)

    def __hash__(self) -> int:
        return hash((self.grid, tuple(self.shape), self.orientation))

    def __repr__(self) -> str:
        return (
            f"ShardSpec{{grid={self.grid.to_json()}, shape={self.shape}, "
            f"orientation=ShardOrientation::{self.orientation.name}}}"
        )


class MemoryConfig:
    """Placement of a tensor.

    Sharded placements can be written down, but ``tilewright`` raises an error that names them.

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
    def interleaved(self) -> bool:
        return self._memory_layout is TensorMemoryLayout.INTERLEAVED

    def is_sharded(self) -> bool:
        return not self.interleaved

    def to_json(self) -> str:
        value = {"memory_layout": self._memory_layout.name, "buffer_type": self._buffer_type.name}
        return json.dumps(value, separators=(",", ":"))

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


def require_allocatable(memory_config: MemoryConfig) -> None:
    """Refuse, by name, placements that cannot be allocated here."""
    require_memory_config(memory_config)
    if memory_config.is_sharded():
        raise NotImplementedError(
            f"memory_config: tilewright does not allocate {memory_config.memory_layout.name} tensors yet; "
            "use ttnn.DRAM_MEMORY_CONFIG or ttnn.L1_MEMORY_CONFIG"
        )
    if memory_config.buffer_type not in (BufferType.DRAM, BufferType.L1):
        raise NotImplementedError(
            f"memory_config: tilewright has no {memory_config.buffer_type.name} memory; use BufferType.DRAM or L1"
        )


DRAM_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)
L1_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.L1)
