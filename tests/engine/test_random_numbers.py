# SPDX-License-Identifier: Apache-2.0
"""A core's random numbers go on from launch to launch, until a kernel seeds them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

COMPUTE = """
#include "api/compute/compute_kernel_api.h"
#include "api/compute/pack.h"
#include "api/compute/eltwise_unary/rand.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    const uint32_t seed = get_common_arg_val<uint32_t>(0);
    tile_regs_acquire();
    if (seed != 0) {
        rand_tile_init(seed);
    }
    rand_tile(0, 0, 0x3f800000);
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}
"""


@pytest.fixture
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def _draw(device: ttnn.Device, seed: int) -> np.ndarray:
    nothing = np.zeros((32, 32), dtype=np.float32)
    return run_tiles(
        device, [(nothing, ttnn.float32)], COMPUTE, (32, 32), ttnn.float32, runtime_args=[seed], fp32_dest_acc_en=True
    )


def test_numbers_repeat_only_after_the_same_seed(device: ttnn.Device) -> None:
    first, next_of_first, other, again, next_again = (_draw(device, seed) for seed in (42, 0, 43, 42, 0))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(next_of_first, next_again)
    assert not np.array_equal(first, next_of_first)
    assert not np.array_equal(first, other)


def test_neighbouring_seeds_have_nothing_in_common(device: ttnn.Device) -> None:
    first, second = (set(_draw(device, seed).flatten().tolist()) for seed in (42, 43))
    assert len(first & second) < 16  # of 1024 numbers with 24 bits; shifted sequences share nearly all
