# SPDX-License-Identifier: Apache-2.0
"""Operations with a program cache of their own around ttnn's: one that keeps the scalar of the first call, one that
keeps its rows, one that is right, one that is random; and one of ttnn's with buffers over shards, where only addresses
differ between calls. Prints what the further calls of each show, as JSON.
"""

from __future__ import annotations

import dataclasses
import json
import random

import torch
import ttnn

from tilewright._card.program_cache import CacheResult, _Calls, _Given

device = ttnn.open_device(device_id=0)
first: dict[str, float] = {}


def is_empty() -> bool:
    """Whether the device has forgotten its programs, and so do the operations here."""
    return int(device.num_program_cache_entries()) == 0


def stale_scalar(x: ttnn.Tensor, factor: float) -> ttnn.Tensor:
    if is_empty():
        first["factor"] = factor
    return ttnn.multiply(x, first["factor"])


def frozen_rows(x: ttnn.Tensor, factor: float) -> ttnn.Tensor:
    if is_empty():
        first["rows"] = x.shape[-2]
    result = ttnn.multiply(x, factor)
    if x.shape[-2] > first["rows"]:
        zeros = torch.zeros(x.shape[-2] - int(first["rows"]), x.shape[-1])
        values = torch.cat([ttnn.to_torch(result)[: int(first["rows"])], zeros])
        result = ttnn.from_torch(values, dtype=x.dtype, layout=x.layout, device=device)
    return result


def right(x: ttnn.Tensor, factor: float) -> ttnn.Tensor:
    return ttnn.multiply(x, factor)


def different(x: ttnn.Tensor, factor: float) -> ttnn.Tensor:
    return ttnn.multiply(x, random.random())


def refused(x: ttnn.Tensor, factor: float) -> ttnn.Tensor:
    if x.shape[-2] != 32:
        raise ValueError("32 rows and no others")
    return ttnn.multiply(x, factor)


def over_shards(x: ttnn.Tensor, factor: float) -> ttnn.Tensor:
    return ttnn.relu(x)


CORES = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))})
SHARDED = ttnn.MemoryConfig(
    ttnn.TensorMemoryLayout.WIDTH_SHARDED,
    ttnn.BufferType.L1,
    ttnn.ShardSpec(CORES, (32, 32), ttnn.ShardOrientation.ROW_MAJOR),
)
found = {}
for call in (stale_scalar, frozen_rows, right, different, refused, over_shards):
    device.clear_program_cache()
    x = ttnn.from_torch(
        torch.ones(32, 64),
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=device,
        memory_config=SHARDED if call is over_shards else ttnn.DRAM_MEMORY_CONFIG,
    )
    given = _Given((x, 2.0), {})
    call(x, 2.0)
    result = CacheResult(call.__name__, "", 0)
    _Calls(call, given, device, result).examine()
    found[call.__name__] = dataclasses.asdict(result)
print(json.dumps(found))
ttnn.close_device(device)
