# SPDX-License-Identifier: Apache-2.0
"""Dispatch cores in a column: an operation on all cores that are left, and exact results."""

from __future__ import annotations

import torch
import ttnn

config = ttnn.DispatchCoreConfig(axis=ttnn.DispatchCoreAxis.COL)
device = ttnn.open_device(device_id=0, dispatch_core_config=config)
grid = device.compute_with_storage_grid_size()
tiles = grid.x * grid.y
values = torch.randint(-8, 8, (32 * tiles, 32)).bfloat16()
cores = ttnn.CoreGrid(y=grid.y, x=grid.x)
shards = ttnn.create_sharded_memory_config(
    (32, 32), cores, ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True
)
x = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device, memory_config=shards)
identity = ttnn.from_torch(torch.eye(32).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)
product = ttnn.matmul(ttnn.to_memory_config(x, ttnn.DRAM_MEMORY_CONFIG), identity)
right = torch.equal(ttnn.to_torch(ttnn.relu(x)), values.relu()) and torch.equal(ttnn.to_torch(product), values)
print(f"{grid.x}x{grid.y}: {'right' if right else 'wrong'}")
ttnn.close_device(device)
