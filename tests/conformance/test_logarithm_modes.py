# SPDX-License-Identifier: Apache-2.0
"""Logarithms to a base, one case for each value of the template argument that says whether it is two."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

KERNEL = """
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    log_with_base_tile_init();
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    log_with_base_tile<false, BASE_IS_TWO>(0, SCALE);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}
"""


@pytest.mark.parametrize("base", [2, 10])
def test_logarithms_to_a_base(base: int) -> None:
    device = ttnn.open_device(device_id=0)
    powers = np.ldexp(np.float32(1), np.arange(-126, 128)).astype(np.float32)
    others = np.exp(np.random.default_rng(base).uniform(-80, 80, 1024 - len(powers) - 3)).astype(np.float32)
    values = np.concatenate([powers, others, np.array([0, np.inf, -1], np.float32)])
    scale = int(np.float32(1 / np.log(base)).view(np.uint32))
    found = run_tiles(
        device,
        [(values.reshape(32, 32), ttnn.float32)],
        KERNEL,
        (32, 32),
        ttnn.float32,
        defines={"BASE_IS_TWO": str(int(base == 2)), "SCALE": str(scale)},
        fp32_dest_acc_en=True,
        unpack_to_dest=(0,),
    ).reshape(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.log(values.astype(np.float64)) / np.log(base)
    if base == 2:  # whole numbers, all of them
        np.testing.assert_array_equal(found[: len(powers)], np.arange(-126, 128))
    np.testing.assert_array_equal(found[-3:], [-np.inf, np.inf, np.nan])
    # Two units of the last place of what is added: the exponent's part, up to 128, and the fraction's, below one.
    size = np.maximum(np.abs(expected[:-3]), 1)
    assert np.max(np.abs(found[:-3] - expected[:-3]) / size) <= 2**-22
