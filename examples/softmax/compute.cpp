// SPDX-License-Identifier: Apache-2.0
// out = exp(x - max) / sum(exp(x - max)) for every row of tiles.
#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/reduce.h"

constexpr uint32_t cb_in = 0, cb_ones = 2, cb_max = 3, cb_exps = 4, cb_scale = 5, cb_out = 16;
constexpr uint32_t row_tiles = get_compile_time_arg_val(0);

// Packs DST slot 0 into one page of cb.
void pack_one(uint32_t cb) {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void find_row_maximum() {
    cb_reserve_back(cb_max, 1);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_in, cb_ones, cb_max);
    tile_regs_acquire();
    for (uint32_t i = 0; i < row_tiles; i++) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_in, cb_ones, i, 0, 0);
    }
    reduce_uninit();
    pack_one(cb_max);
}

void subtract_and_exponentiate() {
    cb_wait_front(cb_max, 1);
    sub_bcast_cols_init(cb_in, cb_max);
    exp_tile_init();
    for (uint32_t i = 0; i < row_tiles; i++) {
        cb_reserve_back(cb_exps, 1);
        tile_regs_acquire();
        sub_tiles_bcast_cols(cb_in, cb_max, i, 0, 0);
        exp_tile(0);
        pack_one(cb_exps);
    }
#ifndef FORGET_TO_POP_THE_MAXIMUM
    cb_pop_front(cb_max, 1);
#endif
}

void find_scale() {
    cb_wait_front(cb_exps, row_tiles);
    cb_reserve_back(cb_scale, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_ones, cb_scale);
    tile_regs_acquire();
    for (uint32_t i = 0; i < row_tiles; i++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_ones, i, 0, 0);
    }
    reduce_uninit();
    recip_tile_init();
    recip_tile(0);
    pack_one(cb_scale);
}

void scale_row() {
    cb_wait_front(cb_scale, 1);
    mul_bcast_cols_init(cb_exps, cb_scale);
    for (uint32_t i = 0; i < row_tiles; i++) {
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        mul_tiles_bcast_cols(cb_exps, cb_scale, i, 0, 0);
        pack_one(cb_out);
    }
    cb_pop_front(cb_scale, 1);
}

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_in, cb_ones, cb_out);
    cb_wait_front(cb_ones, 1);
    for (uint32_t row = 0; row < num_rows; row++) {
        cb_wait_front(cb_in, row_tiles);
        find_row_maximum();
        subtract_and_exponentiate();
        cb_pop_front(cb_in, row_tiles);
        find_scale();
        scale_row();
        cb_pop_front(cb_exps, row_tiles);
    }
}
