// SPDX-License-Identifier: Apache-2.0
// Row-major rows in c_0 become tiles in c_16.
#include "api/compute/common.h"
#include "api/compute/tilize.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 16);
    tilize_init(0, row_tiles, 16);
    for (uint32_t row = 0; row < num_rows; row++) {
        cb_wait_front(0, row_tiles);
        cb_reserve_back(16, row_tiles);
        tilize_block(0, row_tiles, 16);
        cb_push_back(16, row_tiles);
        cb_pop_front(0, row_tiles);
    }
    tilize_uninit(0, 16);
}
