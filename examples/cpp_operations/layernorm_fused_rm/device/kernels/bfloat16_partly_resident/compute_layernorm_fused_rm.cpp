// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/addcmul.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

constexpr uint32_t cb_in_rm = 0;
constexpr uint32_t cb_in_tiled = 1;
constexpr uint32_t cb_scaler = 2;
constexpr uint32_t cb_epsilon = 3;
constexpr uint32_t cb_gamma_tiled = 6;
constexpr uint32_t cb_beta_tiled = 7;
constexpr uint32_t cb_out_rm = 16;
constexpr uint32_t cb_variance_parts = 24;
constexpr uint32_t cb_mean = 25;
constexpr uint32_t cb_variance = 26;
constexpr uint32_t cb_inv_std = 27;

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

// 32 rows, each a page (a stick), become num_tiles tiles.
void tilize_sticks(uint32_t cb_in, uint32_t cb_out, uint32_t num_tiles) {
    tilize_pages(cb_in, cb_out, num_tiles, 32);
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

// DST slot 0 becomes one page of cb_out.
void pack_reduced(uint32_t cb_out) {
    cb_reserve_back(cb_out, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(cb_out, 1);
}

// Column 0 of out = the sum over each row of num_tiles tiles, times the scaler, times a float32.
template <bool keep, bool partial>
void reduce_row_mean(uint32_t cb_in, uint32_t cb_scaler, uint32_t cb_out, uint32_t num_tiles, uint32_t factor_bits) {
    cb_wait_front(cb_in, num_tiles);
    cb_wait_front(cb_scaler, partial ? 2 : 1);
    pack_reconfig_data_format(cb_out);
    tile_regs_acquire();
    add_row_sums<partial>(cb_in, cb_scaler, cb_out, num_tiles);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, factor_bits);
    pack_reduced(cb_out);
    if constexpr (!keep) {
        cb_pop_front(cb_in, num_tiles);
    }
}

// out = one tile: num_tiles tiles of square(x - mean), added up element by element.
void add_up_variance(uint32_t cb_in_tiled, uint32_t cb_mean, uint32_t cb_out, uint32_t first, uint32_t num_tiles) {
    cb_wait_front(cb_in_tiled, first + num_tiles);
    cb_wait_front(cb_mean, 1);
    cb_reserve_back(cb_out, 1);
    pack_reconfig_data_format(cb_out);
    tile_regs_acquire();
    reconfig_data_format(cb_in_tiled, cb_mean);
    sub_bcast_cols_init(cb_in_tiled, cb_mean);
    sub_tiles_bcast_cols(cb_in_tiled, cb_mean, first, 0, 0);
    square_tile_init();
    square_tile(0);
    addcmul_tile_init();
    for (uint32_t i = 1; i < num_tiles; i++) {
        sub_tiles_bcast_cols(cb_in_tiled, cb_mean, first + i, 0, 1);
        addcmul_tile<DataFormat::Float32>(0, 1, 1, 0, 0x3F800000);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
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

// What num_tiles tiles add to variance. A last tile that is not full stays apart: its padding must not meet
// other tiles' columns.
template <bool partial>
void reduce_variance(uint32_t num_tiles, bool is_first, bool is_last, uint32_t scale) {
    const uint32_t num_apart = partial && is_last ? 1 : 0;
    const uint32_t num_whole = num_tiles - num_apart;
    if (num_whole != 0) {
        add_up_variance(cb_in_tiled, cb_mean, cb_variance_parts, 0, num_whole);
        accumulate_row_mean<false,
            false>(cb_variance_parts, cb_scaler, cb_variance, 1, 1, scale, is_first, is_last && num_apart == 0);
    }
    if (num_apart != 0) {
        add_up_variance(cb_in_tiled, cb_mean, cb_variance_parts, num_whole, 1);
        accumulate_row_mean<partial,
            false>(cb_variance_parts, cb_scaler, cb_variance, 1, 1, scale, is_first && num_whole == 0, true);
    }
}

// out = rsqrt(variance + epsilon).
void make_inv_std(uint32_t cb_variance, uint32_t cb_epsilon, uint32_t cb_out) {
    cb_wait_front(cb_variance, 1);
    cb_wait_front(cb_epsilon, 1);
    cb_reserve_back(cb_out, 1);
    pack_reconfig_data_format(cb_out);
    reconfig_data_format(cb_variance, cb_epsilon);
    add_bcast_scalar_init(cb_variance, cb_epsilon);
    rsqrt_tile_init();
    tile_regs_acquire();
    add_tiles_bcast_scalar(cb_variance, cb_epsilon, 0, 0, 0);
    rsqrt_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

// out = (x - mean) * inv_std * gamma + beta.
template <uint32_t num_tiles>
void make_result(uint32_t cb_in_tiled, uint32_t cb_mean, uint32_t cb_inv_std, uint32_t cb_beta_tiled,
    uint32_t cb_gamma_tiled, uint32_t cb_out) {
    constexpr uint32_t group = num_tiles % 2 == 0 ? 2 : 1;
    cb_wait_front(cb_in_tiled, num_tiles);
    cb_wait_front(cb_mean, 1);
    cb_wait_front(cb_inv_std, 1);
    cb_wait_front(cb_beta_tiled, num_tiles);
    cb_wait_front(cb_gamma_tiled, num_tiles);
    cb_reserve_back(cb_out, 32);
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<group, num_tiles>(cb_out);
    for (uint32_t index = 0; index < num_tiles / group; index++) {
        const uint32_t begin = index * group;
        tile_regs_acquire();
        reconfig_data_format(cb_in_tiled, cb_mean);
        sub_bcast_cols_init(cb_in_tiled, cb_mean);
        for (uint32_t slot = 0; slot < group; slot++) {
            sub_tiles_bcast_cols(cb_in_tiled, cb_mean, begin + slot, 0, slot);
        }
        reconfig_data_format(cb_inv_std, cb_inv_std);
        unary_bcast_init<BroadcastType::COL>(cb_inv_std);
        unary_bcast<BroadcastType::COL>(cb_inv_std, 0, 3);
        mul_binary_tile_init();
        for (uint32_t slot = 0; slot < group; slot++) {
            mul_binary_tile(slot, 3, slot);
        }
        reconfig_data_format(cb_beta_tiled, cb_beta_tiled);
        unary_bcast_init<BroadcastType::ROW>(cb_beta_tiled);
        addcmul_tile_init();
        for (uint32_t slot = 0; slot < group; slot++) {
            unary_bcast<BroadcastType::ROW>(cb_beta_tiled, begin + slot, 3);
            unary_bcast<BroadcastType::ROW>(cb_gamma_tiled, begin + slot, 2);
            addcmul_tile<DataFormat::Float32>(3, slot, 2, slot, 0x3F800000);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_untilize_dest<group, num_tiles>(cb_out, 1, index);
        tile_regs_release();
    }
    pack_untilize_uninit(cb_out);
    cb_push_back(cb_out, 32);
}

// (x - mean(x)) * rsqrt(mean(square(x - mean(x))) + epsilon) * gamma + beta; 3 passes over each tile-row, which
// stays in L1.
void kernel_main() {
    constexpr uint32_t width_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t num_blocks = get_compile_time_arg_val(1);
    constexpr uint32_t block_tiles = get_compile_time_arg_val(2);
    constexpr uint32_t last_tile_columns = get_compile_time_arg_val(3);
    constexpr uint32_t mean_factor_bits = get_compile_time_arg_val(4);
    const uint32_t num_tile_rows = get_arg_val<uint32_t>(0);

    compute_kernel_hw_startup(cb_in_rm, cb_scaler, cb_out_rm);
    constexpr bool partial = last_tile_columns != 32;
    for (uint32_t i = 0; i < num_tile_rows; i++) {
        for (uint32_t j = 0; j < num_blocks; j++) {
            tilize_sticks(cb_in_rm, cb_in_tiled, block_tiles);
        }
        reduce_row_mean<true, partial>(cb_in_tiled, cb_scaler, cb_mean, width_tiles, mean_factor_bits);
        reduce_variance<partial>(width_tiles, true, true, mean_factor_bits);
        make_inv_std(cb_variance, cb_epsilon, cb_inv_std);
        cb_pop_front(cb_variance, 1);
        for (uint32_t j = 0; j < num_blocks; j++) {
            make_result<block_tiles>(cb_in_tiled, cb_mean, cb_inv_std, cb_beta_tiled, cb_gamma_tiled, cb_out_rm);
            cb_pop_front(cb_beta_tiled, block_tiles);
            cb_pop_front(cb_gamma_tiled, block_tiles);
            cb_pop_front(cb_in_tiled, block_tiles);
        }
        cb_pop_front(cb_inv_std, 1);
        cb_pop_front(cb_mean, 1);
    }
}
