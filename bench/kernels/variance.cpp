// SPDX-License-Identifier: Apache-2.0
// c_16 = variance of each row of c_0, population form. c_2 holds the scaler 1/W.
#include "row_phases.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    constexpr uint32_t in = 0, scaler = 2, mean = 3, squares = 4, out = 16;
    compute_kernel_hw_startup(in, scaler, out);
    for (uint32_t row = 0; row < num_rows; row++) {
        reduce_row<PoolType::SUM>(in, scaler, mean, row_tiles, [] {});
        cb_wait_front(mean, 1);
        sub_bcast_cols_init(in, mean);
        square_tile_init();
        map_row(squares, row_tiles, [](uint32_t i, uint32_t slot) {
            sub_tiles_bcast_cols(in, mean, i, 0, slot);
            square_tile(slot);
        });
        cb_pop_front(mean, 1);
        cb_pop_front(in, row_tiles);
        reduce_row<PoolType::SUM>(squares, scaler, out, row_tiles, [] {});
        cb_pop_front(squares, row_tiles);
    }
}
