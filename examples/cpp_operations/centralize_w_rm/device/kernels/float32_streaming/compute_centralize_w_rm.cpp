// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

constexpr uint32_t cb_in_rm = 0;
constexpr uint32_t cb_in_tiled = 1;
constexpr uint32_t cb_scaler = 2;
constexpr uint32_t cb_mean = 3;
constexpr uint32_t cb_out_rm = 16;

// num_pages of cb_in together hold 32 rows of num_tiles tiles.
void tilize_pages(uint32_t cb_in, uint32_t cb_out, uint32_t num_tiles, uint32_t num_pages) {
    cb_wait_front(cb_in, num_pages);
    cb_reserve_back(cb_out, num_tiles);
    reconfig_data_format_srca(cb_in);
    pack_reconfig_data_format(cb_out);
    tilize_init(cb_in, num_tiles, cb_out);
    tilize_block(cb_in, num_tiles, cb_out);
    tilize_uninit(cb_in, cb_out);
    cb_push_back(cb_out, num_tiles);
    cb_pop_front(cb_in, num_pages);
}

// 32 rows in pages of tile size become num_tiles tiles.
void tilize(uint32_t cb_in, uint32_t cb_out, uint32_t num_tiles) {
    tilize_pages(cb_in, cb_out, num_tiles, num_tiles);
}

// DST slot 0, column 0 += the sums of num_tiles tiles; the last one by page 1 of cb_scaler if partial.
template <bool partial>
void add_row_sums(uint32_t cb_in, uint32_t cb_scaler, uint32_t cb_out, uint32_t num_tiles) {
    // A row sum is a product with the data on SrcB.
    reconfig_data_format(cb_scaler, cb_in);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, cb_out);
    if constexpr (partial) {
        for (uint32_t i = 0; i < num_tiles - 1; i++) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, i, 0, 0);
        }
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, num_tiles - 1, 1, 0);
    } else {
        for (uint32_t i = 0; i < num_tiles; i++) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, i, 0, 0);
        }
    }
}

// Column 0 of out = the sum over each row of several blocks of tiles, times the scaler, times a float32.
template <bool partial, bool keep>
void accumulate_row_mean(uint32_t cb_in, uint32_t cb_scaler, uint32_t cb_out, uint32_t num_tiles, uint32_t num_summed,
    uint32_t factor_bits, bool is_first, bool is_last) {
    cb_wait_front(cb_in, num_tiles);
    cb_wait_front(cb_scaler, partial ? 2 : 1);
    pack_reconfig_data_format(cb_out);
    tile_regs_acquire();
    if (is_last) {
        add_row_sums<partial>(cb_in, cb_scaler, cb_out, num_summed);
    } else {
        add_row_sums<false>(cb_in, cb_scaler, cb_out, num_summed);
    }
    binop_with_scalar_tile_init();
    mul_unary_tile(0, factor_bits);
    tile_regs_commit();
    if (is_first) {
        cb_reserve_back(cb_out, 1);
    }
    tile_regs_wait();
    pack_reconfig_l1_acc(is_first ? 0 : 1);
    pack_tile<true>(0, cb_out, 0);
    pack_reconfig_l1_acc(0);
    tile_regs_release();
    reduce_uninit();
    if (is_last) {
        cb_push_back(cb_out, 1);
    }
    if constexpr (!keep) {
        cb_pop_front(cb_in, num_tiles);
    }
}

// out = x - mean.
template <uint32_t num_tiles>
void make_result(uint32_t cb_in_tiled, uint32_t cb_mean, uint32_t cb_out) {
    constexpr uint32_t group = num_tiles % 4 == 0 ? 4 : (num_tiles % 3 == 0 ? 3 : (num_tiles % 2 == 0 ? 2 : 1));
    cb_wait_front(cb_in_tiled, num_tiles);
    cb_wait_front(cb_mean, 1);
    cb_reserve_back(cb_out, num_tiles);
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<group, num_tiles>(cb_out);
    reconfig_data_format(cb_in_tiled, cb_mean);
    sub_bcast_cols_init(cb_in_tiled, cb_mean);
    for (uint32_t index = 0; index < num_tiles / group; index++) {
        const uint32_t begin = index * group;
        tile_regs_acquire();
        for (uint32_t slot = 0; slot < group; slot++) {
            sub_tiles_bcast_cols(cb_in_tiled, cb_mean, begin + slot, 0, slot);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_untilize_dest<group, num_tiles>(cb_out, 1, index);
        tile_regs_release();
    }
    pack_untilize_uninit(cb_out);
    cb_push_back(cb_out, num_tiles);
}

// x - mean(x); 2 passes over each tile-row, every one block by block.
void kernel_main() {
    constexpr uint32_t num_blocks = get_compile_time_arg_val(0);
    constexpr uint32_t block_tiles = get_compile_time_arg_val(1);
    constexpr uint32_t last_block_tiles = get_compile_time_arg_val(2);
    constexpr uint32_t last_tile_columns = get_compile_time_arg_val(3);
    constexpr uint32_t mean_factor_bits = get_compile_time_arg_val(4);
    const uint32_t num_tile_rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in_rm, cb_scaler, cb_out_rm);
    constexpr bool partial = last_tile_columns != 32;
    constexpr uint32_t last = num_blocks - 1;
    for (uint32_t i = 0; i < num_tile_rows; i++) {
        for (uint32_t block = 0; block < num_blocks; block++) {
            tilize(cb_in_rm, cb_in_tiled, block_tiles);
            accumulate_row_mean<partial,
                false>(cb_in_tiled, cb_scaler, cb_mean, block_tiles, block == last ? last_block_tiles : block_tiles,
                mean_factor_bits, block == 0, block == last);
        }
        for (uint32_t j = 0; j < num_blocks; j++) {
            tilize(cb_in_rm, cb_in_tiled, block_tiles);
            make_result<block_tiles>(cb_in_tiled, cb_mean, cb_out_rm);
            cb_pop_front(cb_in_tiled, block_tiles);
        }
        cb_pop_front(cb_mean, 1);
    }
}
