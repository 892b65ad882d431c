# SPDX-License-Identifier: Apache-2.0
"""A product whose first operand is multicast to four cores: kernels that synchronise by semaphores."""

from __future__ import annotations

import numpy as np
import ttnn

device = ttnn.open_device(device_id=0)
left, right = (
    ttnn.Tensor(np.ones((1, 1, rows, 128), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
    for rows in (32, 128)
)
config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
    compute_with_storage_grid_size=(4, 1),
    in0_block_w=2,
    out_subblock_h=1,
    out_subblock_w=1,
    per_core_M=1,
    per_core_N=1,
    fuse_batch=True,
    fused_activation=None,
    mcast_in0=True,
)
ttnn.matmul(left, right, program_config=config)
ttnn.close_device(device)
