# SPDX-License-Identifier: Apache-2.0
"""ttnn's prefetcher on one core feeds products on three others while they run; for a card of 4x1 cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import ttnn

from tests.card.row_of_cores import cores, put, sharded

K, N, RECEIVERS = 96, 192, 3
TILE_BYTES, TILES_OF_RING = 2048, 18

device = ttnn.open_device(device_id=0)
ttnn.device.enable_asynchronous_slow_dispatch(device)  # else the product waits until the prefetcher is done
ring = ttnn.create_global_circular_buffer(
    device, [(ttnn.CoreCoord(0, 0), cores(1, RECEIVERS))], TILES_OF_RING * TILE_BYTES
)
random = np.random.default_rng(0)
rows, weights = random.integers(-1, 2, (1, 1, 32, K)), random.integers(-1, 2, (1, 1, K, N))  # sums are exact
left = put(device, rows, sharded(cores(1, RECEIVERS), [32, K // RECEIVERS]))
rights = [put(device, scale * weights, sharded(cores(0, 0), [K, N], in_dram=True)) for scale in (1, -2)]


def prefetch(*tensors: Any) -> None:
    places = np.array([[each.buffer_address() for each in tensors]], np.uint32)
    addresses = ttnn.Tensor(places, ttnn.uint32).to(device, sharded(cores(0, 0), [1, len(tensors)], by_height=True))
    ttnn.dram_prefetcher([*tensors, addresses], 1, global_cb=ring)


def show(label: str, result: Any, scale: int) -> None:
    found = np.array(result.cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list())
    print(f"{label}:", "right" if np.array_equal(found, scale * (rows @ weights)) else "wrong")


columns = N // RECEIVERS
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
options = {
    "program_config": config,
    "memory_config": sharded(cores(1, RECEIVERS), [32, columns]),
    "compute_kernel_config": ttnn.init_device_compute_kernel_config(
        device.arch(), math_fidelity=ttnn.MathFidelity.HiFi4
    ),
    "global_cb": ring,
}
for turn in range(2):
    prefetch(rights[turn])
    show(f"product {turn + 1}", ttnn.matmul(left, rights[turn], **options), (1, -2)[turn])
prefetch(*rights)
both = ttnn.matmul_batched_weights(left, rights, sub_device_id=ttnn.SubDeviceId(0), **options)
show("both at once", both[0], 1)
show("both at once", both[1], -2)
ttnn.close_device(device)
