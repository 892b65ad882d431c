# SPDX-License-Identifier: Apache-2.0
"""ttnn's prefetcher on one core feeds products on three others through prefetcher pipes; for a card of 4x1 cores."""

from __future__ import annotations

import numpy as np
import ttnn

from tests.card.row_of_cores import cores, put, sharded

K, RECEIVERS = 96, 3
TILE_BYTES, TILES_OF_RING = 2048, 19  # entries of no size fill it

device = ttnn.open_device(device_id=0)
ttnn.device.enable_asynchronous_slow_dispatch(device)  # else the product waits until the prefetcher is done
space = ttnn.experimental.create_prefetcher_pipe_space(
    device, cores(0, 0), cores(1, RECEIVERS), TILES_OF_RING * TILE_BYTES, RECEIVERS
)
pipes = space.create_pipes([(ttnn.CoreCoord(0, 0), cores(1, RECEIVERS))])
random = np.random.default_rng(0)
rows = random.integers(-1, 2, (1, 1, 32, K))  # sums are exact
left = put(device, rows, sharded(cores(1, RECEIVERS), [32, K // RECEIVERS]))


def product(label: str, width: int) -> None:
    """Of weights this wide: entries of the pipe have their size, and begin where the last program left off."""
    weights = random.integers(-1, 2, (1, 1, K, width))
    right = put(device, weights, sharded(cores(0, 0), [K, width], in_dram=True))
    place = np.array([[right.buffer_address()]], np.uint32)
    address = ttnn.Tensor(place, ttnn.uint32).to(device, sharded(cores(0, 0), [1, 1], by_height=True))
    ttnn.dram_prefetcher([right, address], 1, prefetcher_pipes=pipes)
    columns = width // RECEIVERS
    config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
        compute_with_storage_grid_size=(RECEIVERS, 1),
        in0_block_w=K // RECEIVERS // 32,
        out_subblock_h=1,
        out_subblock_w=columns // 32,
        per_core_M=1,
        per_core_N=columns // 32,
        fuse_batch=True,
        fused_activation=None,
        mcast_in0=False,
        gather_in0=True,
        num_global_cb_receivers=RECEIVERS,
    )
    found = ttnn.matmul(
        left,
        right,
        program_config=config,
        memory_config=sharded(cores(1, RECEIVERS), [32, columns]),
        compute_kernel_config=ttnn.init_device_compute_kernel_config(
            device.arch(), math_fidelity=ttnn.MathFidelity.HiFi4
        ),
        prefetcher_pipes=pipes,
    )
    values = np.array(found.cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list())
    print(f"{label}:", "right" if np.array_equal(values, rows @ weights) else "wrong")


for turn in range(4):
    product(f"product {turn + 1}", 192)
product("wider", 384)
product("wider again", 384)
product("narrow again", 192)
ttnn.close_device(device)
