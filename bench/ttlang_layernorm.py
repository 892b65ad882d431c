# SPDX-License-Identifier: Apache-2.0
"""Layer norm in tt-lang, run by its own simulator; a process of its own because it changes torch.

``python ttlang_layernorm.py ROWS COLUMNS row|stream REPEATS`` prints the best seconds and the largest error.
``row`` keeps a whole row of tiles in a block; ``stream`` goes over single tiles three times.
"""

from __future__ import annotations

import json
import sys
import time

import torch
from ttl.sim import ttl, ttnn

TILE = 32
EPSILON = 1e-5
rows, columns, mode, repeats = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
tile_rows, tile_columns = rows // TILE, columns // TILE
block = tile_columns if mode == "row" else 1
num_blocks = tile_columns // block
torch.set_num_threads(1)


@ttl.operation(grid=(1, 1))
def layernorm(x: ttnn.Tensor, g: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor):
    x_buffer = ttl.make_dataflow_buffer_like(x, shape=(1, block), block_count=2)
    g_buffer = ttl.make_dataflow_buffer_like(g, shape=(1, block), block_count=2)
    b_buffer = ttl.make_dataflow_buffer_like(b, shape=(1, block), block_count=2)
    mean_buffer = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    scale_buffer = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
    y_buffer = ttl.make_dataflow_buffer_like(y, shape=(1, block), block_count=2)

    @ttl.compute()
    def compute():
        per_element = ttl.block.fill(1.0 / columns, shape=(1, 1))
        epsilon = ttl.block.fill(EPSILON, shape=(1, 1))
        if num_blocks == 1:
            with g_buffer.wait() as g_block, b_buffer.wait() as b_block:
                gamma = ttl.block.broadcast(g_block, dims=[0], shape=(1, block))
                beta = ttl.block.broadcast(b_block, dims=[0], shape=(1, block))
                for _ in range(tile_rows):
                    with x_buffer.wait() as x_block, y_buffer.reserve() as y_block:
                        mean = ttl.math.reduce_sum(x_block, dims=[-1], shape=(1, 1)) * per_element
                        centered = x_block - ttl.block.broadcast(mean, dims=[-1], shape=(1, block))
                        variance = ttl.math.reduce_sum(centered * centered, dims=[-1], shape=(1, 1)) * per_element
                        scale = ttl.block.broadcast(ttl.math.rsqrt(variance + epsilon), dims=[-1], shape=(1, block))
                        y_block.store(centered * scale * gamma + beta)
            return
        for _ in range(tile_rows):
            total = ttl.block.fill(0.0, shape=(1, 1))
            for _ in range(num_blocks):
                with x_buffer.wait() as x_block:
                    total += ttl.math.reduce_sum(x_block, dims=[-1], shape=(1, 1))
            with mean_buffer.reserve() as mean_block:
                mean_block.store(total * per_element)
            with mean_buffer.wait() as mean_block:
                mean = ttl.block.broadcast(mean_block, dims=[-1], shape=(1, block))
                total = ttl.block.fill(0.0, shape=(1, 1))
                for _ in range(num_blocks):
                    with x_buffer.wait() as x_block:
                        centered = x_block - mean
                        total += ttl.math.reduce_sum(centered * centered, dims=[-1], shape=(1, 1))
                with scale_buffer.reserve() as scale_block:
                    scale_block.store(ttl.math.rsqrt(total * per_element + epsilon))
                with scale_buffer.wait() as scale_block:
                    scale = ttl.block.broadcast(scale_block, dims=[-1], shape=(1, block))
                    for _ in range(num_blocks):
                        with (
                            x_buffer.wait() as x_block,
                            g_buffer.wait() as g_block,
                            b_buffer.wait() as b_block,
                            y_buffer.reserve() as y_block,
                        ):
                            gamma = ttl.block.broadcast(g_block, dims=[0], shape=(1, block))
                            beta = ttl.block.broadcast(b_block, dims=[0], shape=(1, block))
                            y_block.store((x_block - mean) * scale * gamma + beta)

    @ttl.datamovement()
    def read():
        if num_blocks == 1:
            with g_buffer.reserve() as g_block, b_buffer.reserve() as b_block:
                g_copy = ttl.copy(g[0:1, 0:block], g_block)
                b_copy = ttl.copy(b[0:1, 0:block], b_block)
                g_copy.wait()
                b_copy.wait()
            for r in range(tile_rows):
                with x_buffer.reserve() as x_block:
                    x_copy = ttl.copy(x[r : r + 1, 0:block], x_block)
                    x_copy.wait()
            return
        for r in range(tile_rows):
            for _ in range(2):
                for c in range(num_blocks):
                    with x_buffer.reserve() as x_block:
                        x_copy = ttl.copy(x[r : r + 1, c * block : (c + 1) * block], x_block)
                        x_copy.wait()
            for c in range(num_blocks):
                with x_buffer.reserve() as x_block, g_buffer.reserve() as g_block, b_buffer.reserve() as b_block:
                    x_copy = ttl.copy(x[r : r + 1, c * block : (c + 1) * block], x_block)
                    g_copy = ttl.copy(g[0:1, c * block : (c + 1) * block], g_block)
                    b_copy = ttl.copy(b[0:1, c * block : (c + 1) * block], b_block)
                    x_copy.wait()
                    g_copy.wait()
                    b_copy.wait()

    @ttl.datamovement()
    def write():
        for r in range(tile_rows):
            for c in range(num_blocks):
                with y_buffer.wait() as y_block:
                    y_copy = ttl.copy(y_block, y[r : r + 1, c * block : (c + 1) * block])
                    y_copy.wait()


def to_device(values: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, memory_config=ttnn.DRAM_MEMORY_CONFIG)


def first_row(vector: torch.Tensor) -> ttnn.Tensor:
    tile = torch.zeros(TILE, columns)
    tile[0] = vector.float()
    return to_device(tile)


torch.manual_seed(0)
# The simulator rebinds torch.bfloat16 to float32; its own bfloat16 rounds.
x_values = torch.randn(rows, columns).to(ttnn.bfloat16)
g_values, b_values = torch.randn(columns).to(ttnn.bfloat16), torch.randn(columns).to(ttnn.bfloat16)
x, y = to_device(x_values), to_device(torch.zeros(rows, columns))
g, b = first_row(g_values), first_row(b_values)
times = []
for _ in range(repeats):
    begin = time.perf_counter()
    layernorm(x, g, b, y)
    times.append(time.perf_counter() - begin)
expected = torch.nn.functional.layer_norm(x_values.double(), (columns,), g_values.double(), b_values.double(), EPSILON)
error = (ttnn.to_torch(y).double() - expected).abs().max().item()
print(json.dumps({"seconds": min(times), "error": error}))
