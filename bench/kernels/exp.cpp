// SPDX-License-Identifier: Apache-2.0
// c_16 = exp(c_0), eight tiles at a time.
#include "api/compute/common.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t block_tiles = get_compile_time_arg_val(0);

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    exp_tile_init();
    for (uint32_t block = 0; block < num_blocks; block++) {
        cb_wait_front(0, block_tiles);
        cb_reserve_back(16, block_tiles);
        tile_regs_acquire();
        for (uint32_t i = 0; i < block_tiles; i++) {
            copy_tile(0, i, i);
            exp_tile(i);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < block_tiles; i++) {
            pack_tile(i, 16);
        }
        tile_regs_release();
        cb_push_back(16, block_tiles);
        cb_pop_front(0, block_tiles);
    }
}
