# SPDX-License-Identifier: Apache-2.0
"""Tensors of the real ttnn on a card that is one row of cores, for scripts about the prefetcher."""

from __future__ import annotations

from typing import Any

import numpy as np
import ttnn


def cores(first: int, last: int) -> Any:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(first, 0), ttnn.CoreCoord(last, 0))])


def sharded(where: Any, shape: list[int], *, in_dram: bool = False, by_height: bool = False) -> Any:
    layout = ttnn.TensorMemoryLayout.HEIGHT_SHARDED if by_height else ttnn.TensorMemoryLayout.WIDTH_SHARDED
    place = ttnn.BufferType.DRAM if in_dram else ttnn.BufferType.L1
    return ttnn.MemoryConfig(layout, place, ttnn.ShardSpec(where, shape, ttnn.ShardOrientation.ROW_MAJOR))


def put(device: Any, values: Any, memory: Any) -> Any:
    return ttnn.Tensor(values.astype(np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device, memory)
