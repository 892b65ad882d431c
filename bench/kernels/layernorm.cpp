// SPDX-License-Identifier: Apache-2.0
// c_16 = (x - mean) * rsqrt(variance + epsilon) * gamma + beta for each row of c_0. c_2 holds the scaler 1/W; gamma and
// beta are tiles with their row in every row, so the last steps stay in DST.
#include "row_phases.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
constexpr uint32_t epsilon_bits = get_compile_time_arg_val(1);

constexpr uint32_t cb_in = 0, cb_scaler = 2, cb_mean = 3, cb_partial = 4, cb_gamma = 5, cb_beta = 6;
constexpr uint32_t cb_inverse_std = 7, cb_scale = 8, cb_out = 16;
constexpr auto into_src_a = EltwiseBinaryReuseDestType::DEST_TO_SRCA;

// The tile of cb (one number per row, in column 0) spread over all columns.
void spread_columns(uint32_t cb, uint32_t cb_spread) {
    cb_wait_front(cb, 1);
    cb_reserve_back(cb_spread, 1);
    unary_bcast_init<BroadcastType::COL>(cb);
    tile_regs_acquire();
    unary_bcast<BroadcastType::COL>(cb, 0, 0);
    pack_one(cb_spread);
    cb_pop_front(cb, 1);
}

// out = (in - mean) * scale * gamma + beta, a DST section at a time.
void normalize_row(uint32_t num_tiles) {
    for (uint32_t first = 0; first < num_tiles; first += dst_tiles) {
        cb_reserve_back(cb_out, dst_tiles);
        tile_regs_acquire();
        sub_bcast_cols_init(cb_in, cb_mean);
        for (uint32_t slot = 0; slot < dst_tiles; slot++) {
            sub_tiles_bcast_cols(cb_in, cb_mean, first + slot, 0, slot);
        }
        mul_reuse_dest_init<into_src_a>(cb_scale);
        for (uint32_t slot = 0; slot < dst_tiles; slot++) {
            mul_reuse_dest_tiles<into_src_a>(cb_scale, 0, slot);
            mul_reuse_dest_tiles<into_src_a>(cb_gamma, first + slot, slot);
        }
        add_reuse_dest_init<into_src_a>(cb_beta);
        for (uint32_t slot = 0; slot < dst_tiles; slot++) {
            add_reuse_dest_tiles<into_src_a>(cb_beta, first + slot, slot);
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

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_gamma, row_tiles);
    cb_wait_front(cb_beta, row_tiles);
    for (uint32_t row = 0; row < num_rows; row++) {
        sum_row(cb_in, cb_scaler, cb_partial, cb_mean, row_tiles, [] {});
        sum_squared_differences(cb_in, cb_mean, cb_scaler, cb_partial, cb_inverse_std, row_tiles, [] {
            binop_with_scalar_tile_init();
            add_unary_tile(0, epsilon_bits);
            rsqrt_tile_init();
            rsqrt_tile(0);
        });
        spread_columns(cb_inverse_std, cb_scale);
        cb_wait_front(cb_scale, 1);
        normalize_row(row_tiles);
        cb_pop_front(cb_scale, 1);
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_in, row_tiles);
    }
}
