# SPDX-License-Identifier: Apache-2.0
"""Chains of tile calls that the engine computes at once give what the calls give one by one, bit for bit.

Checked runs follow each call by itself, so they are what plain runs are compared with.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn

# c_0: four tiles, c_1 and c_2: columns, c_3 and c_4: rows, c_5: a scaler of ones and one of other numbers.
COMPUTE = """
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/addcmul.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

void subtract(uint32_t tile, uint32_t slot) {
    reconfig_data_format(0, 1);
    sub_bcast_cols_init(0, 1);
    sub_tiles_bcast_cols(0, 1, tile, 0, slot);
}

template <BroadcastType dim>
void broadcast(uint32_t cb, uint32_t slot) {
    reconfig_data_format(cb, cb);
    unary_bcast_init<dim>(cb);
    unary_bcast<dim>(cb, 0, slot);
}

void scale(uint32_t slot) {
    broadcast<BroadcastType::COL>(2, 3);
    mul_binary_tile_init();
    mul_binary_tile(slot, 3, slot);
}

void weigh(uint32_t slot) {
    broadcast<BroadcastType::ROW>(3, 2);
    broadcast<BroadcastType::ROW>(4, 3);
    addcmul_tile_init();
    addcmul_tile<DataFormat::Float32>(3, slot, 2, slot, get_common_arg_val<uint32_t>(1));
}

void pack(uint32_t slot, uint32_t page) {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile<true>(slot, 16, page);
    tile_regs_release();
}

// Every tile by itself.
template <typename Chain>
void each_tile(Chain chain) {
    for (uint32_t tile = 0; tile < 4; tile++) {
        tile_regs_acquire();
        subtract(tile, 0);
        chain(tile);
        pack(0, tile);
    }
}

void wait_for_inputs() {
    cb_wait_front(0, 4);
    for (uint32_t cb = 1; cb < 5; cb++) {
        cb_wait_front(cb, 1);
    }
    cb_wait_front(5, 2);
    cb_reserve_back(16, 4);
}

void difference() { each_tile([](uint32_t) {}); }
void product() { each_tile([](uint32_t) { scale(0); }); }
void weighted() { each_tile([](uint32_t) { scale(0); weigh(0); }); }
void weighted_difference() { each_tile([](uint32_t) { weigh(0); }); }
void other_call() { each_tile([](uint32_t) { scale(0); negative_tile_init(); negative_tile(0); }); }

// Products of float32 tiles, one of them with itself.
void tile_products() {
    reconfig_data_format(1, 2);
    mul_init(1, 2);
    for (uint32_t page = 0; page < 4; page++) {
        tile_regs_acquire();
        mul_tiles(1 + page % 2, page < 2 ? 2 : 1, 0, 0, 0);
        if (page == 3) {
            mul_tiles(1, 2, 0, 0, 0);
        }
        pack(0, page);
    }
}

void column_alone() {
    for (uint32_t tile = 0; tile < 4; tile++) {
        tile_regs_acquire();
        broadcast<BroadcastType::COL>(1 + tile % 2, 1);
        pack(1, tile);
    }
}

void rows() {
    pack_untilize_dest_init<1, 4>(16);
    for (uint32_t tile = 0; tile < 4; tile++) {
        tile_regs_acquire();
        subtract(tile, 0);
        scale(0);
        weigh(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_untilize_dest<1, 4>(16, 1, tile);
        tile_regs_release();
    }
    pack_untilize_uninit(16);
}

void squares() {
    tile_regs_acquire();
    subtract(0, 0);
    square_tile_init();
    square_tile(0);
    addcmul_tile_init();
    for (uint32_t tile = 1; tile < 4; tile++) {
        subtract(tile, 1);
        addcmul_tile<DataFormat::Float32>(0, 1, 1, 0, get_common_arg_val<uint32_t>(1));
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t page = 0; page < 4; page++) {
        pack_tile<true>(page / 2, 16, page);
    }
    tile_regs_release();
}

// Sums of rows: of a tile, of two, of two by different scalers, and a multiple of such.
void sums() {
    reconfig_data_format(5, 0);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 5, 16);
    for (uint32_t page = 0; page < 4; page++) {
        tile_regs_acquire();
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 5, page, 0, 0);
        if (page > 0) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 5, 3, page / 2, 0);
        }
        if (page == 3) {
            binop_with_scalar_tile_init();
            mul_unary_tile(0, get_common_arg_val<uint32_t>(1));
        }
        pack(0, page);
    }
    reduce_uninit();
}

// The first result goes where the operand of the second lies.
void over_operands() {
    for (uint32_t tile = 0; tile < 4; tile += 2) {
        tile_regs_acquire();
        subtract(tile, 0);
        subtract(tile + 1, 1);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, 0, tile + 1);
        pack_tile<true>(0, 16, tile);
        pack_tile<true>(1, 16, tile + 1);
        tile_regs_release();
    }
}

// The first result goes where the column of the second lies, before the maths side is done.
void over_column() {
    for (uint32_t tile = 0; tile < 4; tile += 2) {
        tile_regs_acquire();
        subtract(tile, 0);
        tile_regs_wait();
        pack_tile<true>(0, 1, 0);
        subtract(tile + 1, 1);
        tile_regs_commit();
        pack_tile<true>(0, 16, tile);
        pack_tile<true>(1, 16, tile + 1);
        tile_regs_release();
    }
}

// Results go where the factors and the scaler lie that the next ones are computed with.
void over_known_operands() {
    for (uint32_t tile = 0; tile < 4; tile++) {
        tile_regs_acquire();
        subtract(tile, 0);
        scale(0);
        pack(0, tile);
        tile_regs_acquire();
        subtract(tile, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(2);
        pack_tile<true>(0, 2, 0);
        pack_reconfig_data_format(16);
        tile_regs_release();
    }
}
void over_scaler() {
    for (uint32_t page = 0; page < 4; page++) {
        tile_regs_acquire();
        reconfig_data_format(5, 0);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 5, 16);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 5, page, 0, 0);
        reduce_uninit();
        pack(0, page);
        tile_regs_acquire();
        reconfig_data_format_srca(0);
        copy_init(0);
        copy_tile(0, page, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(5);
        pack_tile<true>(0, 5, 0);
        pack_reconfig_data_format(16);
        tile_regs_release();
    }
}

// Rows of four tiles together, one of which is not deferred.
void rows_side_by_side() {
    pack_untilize_dest_init<4, 4>(16);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < 4; tile++) {
        subtract(tile, tile);
    }
    negative_tile_init();
    negative_tile(1);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest<4, 4>(16, 1, 0);
    tile_regs_release();
    pack_untilize_uninit(16);
}

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    wait_for_inputs();
    constexpr void (*cases[])() = {CASES};
    cases[get_common_arg_val<uint32_t>(0)]();
    cb_push_back(16, 4);
}
"""

CASES = (
    "difference", "product", "weighted", "weighted_difference", "other_call", "tile_products", "column_alone", "rows",
    "squares", "sums", "over_operands", "over_column", "over_known_operands",
    "over_scaler", "rows_side_by_side",
)  # fmt: skip
ONE, HALF = 0x3F800000, 0x3F000000  # as float32
_LARGEST_NAN = np.uint32(0x7FFFFFFF).view(np.float32)  # adding to its bits, as rounding does, gives a number


def _values(shape: tuple[int, int], seed: int, ordinary: bool) -> np.ndarray:
    """Random numbers of all sizes; among them, unless ordinary, zeros, denormals, infinities and two NaNs."""
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(shape).astype(np.float32) * 2.0 ** generator.integers(-12, 13, shape)
    if not ordinary:
        chosen = generator.random(shape)
        special = (0.0, -0.0, 1e-39, -1e-39, 1e-37, 3e38, -3e38, np.inf, -np.inf, np.nan, _LARGEST_NAN)
        for index, value in enumerate(special):
            values[(chosen >= index / 80) & (chosen < (index + 1) / 80)] = value
    return values.astype(np.float32)


def _scalers(seed: int) -> np.ndarray:
    """Two scalers of a sum, which takes row 0 of each face: ones, and other numbers."""
    scalers = np.zeros((32, 64), np.float32)
    scalers[::16, :32] = 1.0
    scalers[::16, 32:] = _values((2, 32), seed, ordinary=True)
    return scalers


def _bits(values: np.ndarray) -> np.ndarray:
    """NaNs count as one: which of two a sum keeps is the processor's choice."""
    return np.where(np.isnan(values), np.float32(np.nan), values.astype(np.float32)).view(np.uint32)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("result", [ttnn.bfloat16, ttnn.float32])
def test_deferred_chain_equals_its_single_calls(device: ttnn.Device, case: str, result: ttnn.DataType) -> None:
    for seed, wide, factor in ((1, True, ONE), (2, True, HALF), (3, False, ONE)):
        inputs = [
            (_values((32, 128), seed, ordinary=False), ttnn.bfloat16),
            (_values((32, 32), seed + 10, ordinary=seed != 3), ttnn.float32),
            (_values((32, 32), seed + 20, ordinary=False), ttnn.float32),
            (_values((32, 32), seed + 30, ordinary=False), ttnn.bfloat16),
            (_values((32, 32), seed + 40, ordinary=False), ttnn.bfloat16),
            (_scalers(seed + 50), ttnn.bfloat16),
        ]
        plain, checked = (
            run_tiles(
                device, inputs, COMPUTE, (32, 128), result,
                defines={"CASES": ", ".join(CASES)}, runtime_args=(CASES.index(case), factor), checked=checked,
                fp32_dest_acc_en=wide,
            )
            for checked in (False, True)
        )  # fmt: skip
        np.testing.assert_array_equal(_bits(plain), _bits(checked))


READER = """
#include "api/dataflow/dataflow_api.h"

template <typename From>
void read(uint32_t cb, const From& from, uint32_t page) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(page, from, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

void kernel_main() {
    constexpr auto tiles_args = TensorAccessorArgs<0>();
    constexpr auto column_args = TensorAccessorArgs<tiles_args.next_compile_time_args_offset()>();
    const auto tiles = TensorAccessor(tiles_args, get_common_arg_val<uint32_t>(0));
    const auto column = TensorAccessor(column_args, get_common_arg_val<uint32_t>(1));
    for (uint32_t page = 0; page < 4; page++) {
        read(0, tiles, page);
        read(1, column, 0);
    }
}
"""

# c_0 has one page: the reader fills it again while the kernel waits between the subtraction and the pack.
WAITING = """
#include "api/compute/bcast.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    sub_bcast_cols_init(0, 1);
    cb_reserve_back(16, 4);
    for (uint32_t tile = 0; tile < 4; tile++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, tile + 1);
        tile_regs_acquire();
        sub_tiles_bcast_cols(0, 1, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        if (tile < 3) {
            cb_wait_front(1, tile + 2);
        }
        tile_regs_wait();
        pack_tile<true>(0, 16, tile);
        tile_regs_release();
    }
    cb_push_back(16, 4);
}
"""


def test_deferred_tile_is_computed_before_its_operands_change(device: ttnn.Device) -> None:
    tiles = _values((32, 128), 5, ordinary=True)
    column = _values((32, 32), 6, ordinary=True)
    result = run_tiles(
        device, [(tiles, ttnn.bfloat16), (column, ttnn.bfloat16)], WAITING, (32, 128), ttnn.float32,
        reader=READER, depths={0: 1, 1: 4}, fp32_dest_acc_en=True,
    )  # fmt: skip
    bfloat16 = [
        ttnn.to_numpy(ttnn.from_numpy(each, dtype=ttnn.bfloat16)).astype(np.float32) for each in (tiles, column)
    ]
    np.testing.assert_array_equal(result, bfloat16[0] - bfloat16[1][:, :1])
