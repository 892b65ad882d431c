// SPDX-License-Identifier: Apache-2.0
// Phases over one row of tiles. A phase waits for its operands, leaves popping to
// the caller, and pushes its result.
#pragma once

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/reduce.h"

constexpr uint32_t dst_tiles = 4;  // 32-bit DST, half of it at a time

// DST slot 0 into one page of cb.
inline void pack_one(uint32_t cb) {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

// out (one tile, column 0) = reduction of a row of tiles; `then` works on the result in DST slot 0.
template <PoolType pool, typename Then>
void reduce_row(uint32_t cb_in, uint32_t cb_scaler, uint32_t cb_out, uint32_t row_tiles, Then then) {
    cb_wait_front(cb_in, row_tiles);
    cb_wait_front(cb_scaler, 1);
    cb_reserve_back(cb_out, 1);
    reduce_init<pool, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, cb_out);
    tile_regs_acquire();
    for (uint32_t i = 0; i < row_tiles; i++) {
        reduce_tile<pool, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, i, 0, 0);
    }
    reduce_uninit();
    then();
    pack_one(cb_out);
}

// Sum over a row of tiles: tile by tile in DST first, so that only one tile is left to reduce.
template <typename Then>
void sum_row(uint32_t cb_in, uint32_t cb_scaler, uint32_t cb_partial, uint32_t cb_sum, uint32_t row_tiles, Then then) {
    cb_wait_front(cb_in, row_tiles);
    cb_reserve_back(cb_partial, 1);
    add_init(cb_in, cb_in, true);
    tile_regs_acquire();
    for (uint32_t i = 0; i < row_tiles; i += 2) {
        add_tiles(cb_in, cb_in, i, i + 1, 0);
    }
    pack_one(cb_partial);
    reduce_row<PoolType::SUM>(cb_partial, cb_scaler, cb_sum, 1, then);
    cb_pop_front(cb_partial, 1);
}

// out[i] = f(i) for a row of tiles, where f(i, slot) leaves its result in a DST slot.
template <typename Function>
void map_row(uint32_t cb_out, uint32_t row_tiles, Function function) {
    for (uint32_t first = 0; first < row_tiles; first += dst_tiles) {
        cb_reserve_back(cb_out, dst_tiles);
        tile_regs_acquire();
        for (uint32_t slot = 0; slot < dst_tiles; slot++) {
            function(first + slot, slot);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t slot = 0; slot < dst_tiles; slot++) {
            pack_tile(slot, cb_out);
        }
        tile_regs_release();
        cb_push_back(cb_out, dst_tiles);
    }
}
