// SPDX-License-Identifier: Apache-2.0
// c_16 = (x - mean) * rsqrt(variance + epsilon) * gamma + beta for each row of c_0. c_2 holds the scaler 1/W.
#include "row_phases.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
constexpr uint32_t epsilon_bits = get_compile_time_arg_val(1);

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    constexpr uint32_t in = 0, scaler = 2, mean = 3, centered = 4, gamma = 5, beta = 6, inverse_std = 7, squares = 8,
                       scaled = 9, out = 16;
    compute_kernel_hw_startup(in, scaler, out);
    cb_wait_front(gamma, row_tiles);
    cb_wait_front(beta, row_tiles);
    for (uint32_t row = 0; row < num_rows; row++) {
        reduce_row<PoolType::SUM>(in, scaler, mean, row_tiles, [] {});
        cb_wait_front(mean, 1);
        sub_bcast_cols_init(in, mean);
        map_row(centered, row_tiles, [](uint32_t i, uint32_t slot) { sub_tiles_bcast_cols(in, mean, i, 0, slot); });
        cb_pop_front(mean, 1);
        cb_pop_front(in, row_tiles);
        cb_wait_front(centered, row_tiles);
        mul_init(centered, centered);
        map_row(squares, row_tiles, [](uint32_t i, uint32_t slot) { mul_tiles(centered, centered, i, i, slot); });
        reduce_row<PoolType::SUM>(squares, scaler, inverse_std, row_tiles, [] {
            binop_with_scalar_tile_init();
            add_unary_tile(0, epsilon_bits);
            rsqrt_tile_init();
            rsqrt_tile(0);
        });
        cb_pop_front(squares, row_tiles);
        cb_wait_front(inverse_std, 1);
        for (uint32_t first = 0; first < row_tiles; first += dst_tiles) {
            mul_bcast_cols_init(centered, inverse_std);
            map_row(scaled, dst_tiles, [first](uint32_t i, uint32_t slot) {
                mul_tiles_bcast_cols(centered, inverse_std, first + i, 0, slot);
            });
            cb_wait_front(scaled, dst_tiles);
            mul_bcast_rows_init(scaled, gamma);
            cb_reserve_back(scaled, dst_tiles);
            map_row(scaled, dst_tiles, [first](uint32_t i, uint32_t slot) {
                mul_tiles_bcast_rows(scaled, gamma, i, first + i, slot);
            });
            cb_pop_front(scaled, dst_tiles);
            cb_wait_front(scaled, dst_tiles);
            add_bcast_rows_init(scaled, beta);
            map_row(out, dst_tiles, [first](uint32_t i, uint32_t slot) {
                add_tiles_bcast_rows(scaled, beta, i, first + i, slot);
            });
            cb_pop_front(scaled, dst_tiles);
        }
        cb_pop_front(inverse_std, 1);
        cb_pop_front(centered, row_tiles);
    }
}
