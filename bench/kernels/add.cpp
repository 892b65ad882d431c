// SPDX-License-Identifier: Apache-2.0
// c_16 = c_0 + c_1, eight tiles at a time.
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"

constexpr uint32_t block_tiles = get_compile_time_arg_val(0);

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 1, 16);
    add_init(0, 1);
    for (uint32_t block = 0; block < num_blocks; block++) {
        cb_wait_front(0, block_tiles);
        cb_wait_front(1, block_tiles);
        cb_reserve_back(16, block_tiles);
        tile_regs_acquire();
        for (uint32_t i = 0; i < block_tiles; i++) {
            add_tiles(0, 1, i, i, i);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < block_tiles; i++) {
            pack_tile(i, 16);
        }
        tile_regs_release();
        cb_push_back(16, block_tiles);
        cb_pop_front(0, block_tiles);
        cb_pop_front(1, block_tiles);
    }
}
