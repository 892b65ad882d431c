// SPDX-License-Identifier: Apache-2.0
// c_16 = softmax of each row of c_0, with the maximum subtracted first. c_2 holds the scaler 1.
#include "row_phases.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    constexpr uint32_t in = 0, scaler = 2, row_max = 3, exps = 4, partial = 5, reciprocal = 7, out = 16;
    compute_kernel_hw_startup(in, scaler, out);
    for (uint32_t row = 0; row < num_rows; row++) {
        reduce_row<PoolType::MAX>(in, scaler, row_max, row_tiles, [] {});
        cb_wait_front(row_max, 1);
        sub_bcast_cols_init(in, row_max);
        exp_tile_init();
        map_row(exps, row_tiles, [](uint32_t i, uint32_t slot) {
            sub_tiles_bcast_cols(in, row_max, i, 0, slot);
            exp_tile(slot);
        });
        cb_pop_front(row_max, 1);
        cb_pop_front(in, row_tiles);
        sum_row(exps, scaler, partial, reciprocal, row_tiles, [] {
            recip_tile_init();
            recip_tile(0);
        });
        cb_wait_front(reciprocal, 1);
        mul_bcast_cols_init(exps, reciprocal);
        map_row(out, row_tiles, [](uint32_t i, uint32_t slot) { mul_tiles_bcast_cols(exps, reciprocal, i, 0, slot); });
        cb_pop_front(reciprocal, 1);
        cb_pop_front(exps, row_tiles);
    }
}
