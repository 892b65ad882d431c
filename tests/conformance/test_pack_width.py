# SPDX-License-Identifier: Apache-2.0
"""The packer's loop can be set up for several tiles: each call then packs as many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

COMPUTE = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 4);
    cb_reserve_back(16, 4);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < 4; tile++) {
        copy_tile(0, tile, tile);
    }
    tile_regs_commit();
    tile_regs_wait();
    PACK((llk_pack_init<ckernel::PackMode::Default, false, true, true>(16, WIDTH)));
    for (uint32_t tile = 0; tile < 4; tile += WIDTH) {
        pack_tile<true>(tile, 16, tile);
    }
    PACK((llk_pack_init(16)));
    tile_regs_release();
    cb_push_back(16, 4);
    cb_pop_front(0, 4);
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_each_call_packs_as_many_tiles_as_the_packer_was_set_to(device: ttnn.Device, width: int) -> None:
    values = np.arange(4096, dtype=np.float32).reshape(32, 128)
    result = run_tiles(
        device, [(values, ttnn.float32)], COMPUTE, (32, 128), ttnn.float32,
        defines={"WIDTH": str(width)}, fp32_dest_acc_en=True, unpack_to_dest=(0,),
    )  # fmt: skip
    np.testing.assert_array_equal(result, values)
