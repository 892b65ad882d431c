# SPDX-License-Identifier: Apache-2.0
"""Calls that fused kernels make: sums of whole tiles in DST, RMS normalization, products of few rows (Blackhole)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.tile_program import run_tiles
from tilewright import ttnn
from tilewright._errors import KernelError

BFLOAT16_STEP = 2.0**-8  # largest relative error of rounding to bfloat16

SUMS = """
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/experimental/mul_reduce_scalar.h"
#include "api/compute/experimental/sum_reduce_scalar.h"

void kernel_main() {
    const uint32_t n = get_common_arg_val<uint32_t>(0), multiplies = get_common_arg_val<uint32_t>(1);
    const float scaler = __builtin_bit_cast(float, get_common_arg_val<uint32_t>(2));
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, n);
    cb_wait_front(1, n);
    cb_reserve_back(16, 1);
    if (multiplies) {
        mul_reduce_scalar_init(0, 1);
    } else {
        sum_reduce_scalar_init(0);
    }
    tile_regs_acquire();
    if (multiplies) {
        mul_reduce_scalar_tile<PoolType::SUM>(0, 1, 16, n, scaler);
    } else {
        sum_reduce_scalar_tile(0, 16, n, scaler);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, n);
    cb_pop_front(1, n);
    mul_reduce_scalar_uninit();
}
"""


@pytest.fixture(params=["wormhole_b0", "blackhole"], scope="module")
def either_chip(request: pytest.FixtureRequest) -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch=request.param)
    yield device
    ttnn.close_device(device)


@pytest.fixture(scope="module")
def blackhole() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, arch="blackhole")
    yield device
    ttnn.close_device(device)


def bfloat16s(shape: tuple[int, int], seed: int) -> NDArray[np.float32]:
    values = np.random.default_rng(seed).uniform(0.5, 1.5, shape).astype(np.float32)
    return (values.view(np.uint32) & 0xFFFF0000).view(np.float32)


def bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


@pytest.mark.parametrize("multiplies", [True, False])
@pytest.mark.parametrize("wide", [True, False])
def test_the_sum_of_tiles_is_one_number(either_chip: ttnn.Device, multiplies: bool, wide: bool) -> None:
    count = 3
    first, second = bfloat16s((32 * count, 32), 1), bfloat16s((32 * count, 32), 2)
    found = run_tiles(
        either_chip,
        [(first, ttnn.bfloat16), (second, ttnn.bfloat16)],
        SUMS,
        (32, 32),
        ttnn.float32,
        runtime_args=[count, int(multiplies), bits(0.5)],
        fp32_dest_acc_en=wide,
        checked=wide,
    )
    products = first.astype(np.float64) * second if multiplies else first.astype(np.float64)
    # In 16 bits each of the 8 additions of a column's groups of 8, for each tile, rounds a sum of that size, and so do
    # the product, the scaler's two and the last sum; in 32 bits products and column sums lose what SrcA cannot hold.
    error = (8 * count + 4) * BFLOAT16_STEP if not wide else 2 * 2.0**-10
    assert found[0, 0] == pytest.approx(products.sum() / 4, rel=error)
    assert np.count_nonzero(found) == 1


def test_more_tiles_than_a_card_moves_are_refused(either_chip: ttnn.Device) -> None:
    tiles = bfloat16s((32 * 9, 32), 1)
    inputs = [(tiles, ttnn.bfloat16), (tiles, ttnn.bfloat16)]
    with pytest.raises(KernelError, match=r"sum_reduce_scalar_tile|copy_tile"):
        run_tiles(either_chip, inputs, SUMS, (32, 32), ttnn.float32, runtime_args=[9, 0, bits(1.0)])


NORM = """
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/experimental/add_rsqrt.h"
#include "api/compute/experimental/deepseek_compute_kernel_hw_startup.h"
#include "api/compute/experimental/rmsnorm.h"
#include "api/compute/pack.h"

void kernel_main() {
    constexpr uint32_t n = 2;
    deepseek_compute_kernel_init();
    deepseek_compute_kernel_hw_startup<DST_ACCUM_MODE>(0, 1, 16);
    cb_wait_front(0, n);
    cb_wait_front(1, n);
    cb_reserve_back(16, n);
    mul_reduce_scalar_init(0, 0);
    add_rsqrt_tile_init();
    tile_regs_acquire();
    mul_reduce_scalar_tile<PoolType::SUM>(0, 0, 16, n, __builtin_bit_cast(float, get_common_arg_val<uint32_t>(0)));
    mul_reduce_scalar_uninit();
    add_rsqrt_tile<false, VectorMode::RC_custom, 1>(0, get_common_arg_val<uint32_t>(1));
    rmsnorm_mul_bcast_scalar_reuse_tiles_init<n>(0);
    rmsnorm_mul_bcast_scalar_reuse_tiles<n, true>(0, 0, 0, 0);
    mul_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1);
    for (uint32_t i = 0; i < n; i++) {
        mul_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1, i, i);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(1, 16);
    tile_regs_release();
    cb_push_back(16, n);
    cb_pop_front(0, n);
    cb_pop_front(1, n);
}
"""


@pytest.mark.parametrize("checked", [False, True])
def test_rms_normalization_as_a_fused_kernel_writes_it(blackhole: ttnn.Device, checked: bool) -> None:
    values, gamma = bfloat16s((64, 32), 3), bfloat16s((64, 32), 4)
    epsilon = 1e-3
    found = run_tiles(
        blackhole,
        [(values, ttnn.bfloat16), (gamma, ttnn.bfloat16)],
        NORM,
        (64, 32),
        ttnn.float32,
        runtime_args=[bits(1 / np.sqrt(2048)), bits(epsilon)],
        fp32_dest_acc_en=True,
        checked=checked,
    )
    exact = values.astype(np.float64)
    exact = exact / np.sqrt(np.mean(exact**2) + epsilon) * gamma
    # Scaler, root and product pass a source register with 10 bits of mantissa, the rest cut off; the scaler twice.
    np.testing.assert_allclose(found, exact, rtol=4 * 2.0**-10)


PRODUCT = """
#include "api/compute/experimental/custom_mm.h"
#include "api/compute/pack.h"

void kernel_main() {
    constexpr uint32_t kt = 3, ct = 2;
    const uint32_t mode = get_common_arg_val<uint32_t>(0);
    custom_mm_block_init<false, true, false>(0, 1, 16, ct);
    cb_wait_front(0, kt);
    cb_wait_front(1, kt * ct);
    cb_reserve_back(16, ct);
    tile_regs_acquire();
    if (mode == 0) {  // in two steps of the inner dimension
        custom_mm_block<false>(0, 1, 0, 0, 0, 1, ct);
        custom_mm_block<true>(0, 1, 1, ct, 0, kt - 1, ct);
    } else if (mode == 1) {
        custom_mm_block<true, true>(0, 1, 0, 0, 0, kt, ct);
    } else {
        custom_mm_block_unpack(0, 1, 0, 0, kt, ct);
        custom_mm_block_math(0, 1, 0, kt, ct);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(1, 16);
    tile_regs_release();
    custom_mm_block_uninit<false>();
    cb_push_back(16, ct);
    cb_pop_front(0, kt);
    cb_pop_front(1, kt * ct);
}
"""


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_a_product_of_few_rows_is_the_whole_inner_dimension(blackhole: ttnn.Device, mode: int) -> None:
    # Whole numbers of up to four bits: exact in LoFi, and so are their sums.
    generator = np.random.default_rng(5)
    left = generator.integers(-8, 8, (8, 96)).astype(np.float32)
    right = generator.integers(-8, 8, (96, 64)).astype(np.float32)
    # Tiles of in1 lie row by row; read transposed they lie column by column.
    blocks = right.reshape(3, 32, 2, 32).transpose((2, 0, 1, 3) if mode == 1 else (0, 2, 1, 3)).reshape(192, 32)
    found = run_tiles(
        blackhole,
        [(left, ttnn.bfloat16), (blocks, ttnn.bfloat16)],
        PRODUCT,
        (8, 64),
        ttnn.float32,
        runtime_args=[mode],
        tile_rows={0: 8, 16: 8},
        fp32_dest_acc_en=True,
    )
    np.testing.assert_array_equal(found, left.astype(np.float64) @ right)


def test_a_product_of_more_rows_than_a_card_takes_is_refused(blackhole: ttnn.Device) -> None:
    tiles = [(np.ones((32, 96), np.float32), ttnn.bfloat16), (np.ones((96, 64), np.float32), ttnn.bfloat16)]
    with pytest.raises(KernelError, match="custom_mm_block of tiles with more than 8 rows"):
        run_tiles(blackhole, tiles, PRODUCT, (32, 64), ttnn.float32, runtime_args=[0], fp32_dest_acc_en=True)
