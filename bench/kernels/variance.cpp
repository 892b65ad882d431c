// SPDX-License-Identifier: Apache-2.0
// c_16 = variance of each row of c_0, population form. c_2 holds the scaler 1/W.
#include "row_phases.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in = 0, cb_scaler = 2, cb_mean = 3, cb_partial = 4, cb_out = 16;
    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    for (uint32_t row = 0; row < num_rows; row++) {
        sum_row(cb_in, cb_scaler, cb_partial, cb_mean, row_tiles, [] {});
        sum_squared_differences(cb_in, cb_mean, cb_scaler, cb_partial, cb_out, row_tiles, [] {});
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_in, row_tiles);
    }
}
