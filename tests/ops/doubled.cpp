// SPDX-License-Identifier: Apache-2.0
// Rows of tiles, tilized, times two, and rows again.
#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

void kernel_main() {
    constexpr uint32_t block_tiles = get_compile_time_arg_val(0);
    const uint32_t num_tile_rows = get_arg_val<uint32_t>(0);
    constexpr uint32_t in_rm = 0, in_tiled = 1, out_rm = 16;
    compute_kernel_hw_startup(in_rm, out_rm);
    for (uint32_t row = 0; row < num_tile_rows; row++) {
        cb_wait_front(in_rm, block_tiles);
        cb_reserve_back(in_tiled, block_tiles);
        tilize_init(in_rm, block_tiles, in_tiled);
        tilize_block(in_rm, block_tiles, in_tiled);
        tilize_uninit(in_rm, in_tiled);
        cb_push_back(in_tiled, block_tiles);
        cb_pop_front(in_rm, block_tiles);
        cb_wait_front(in_tiled, block_tiles);
        cb_reserve_back(out_rm, block_tiles);
        pack_untilize_dest_init<1, block_tiles>(out_rm);
        copy_init(in_tiled);
        binop_with_scalar_tile_init();
        for (uint32_t tile = 0; tile < block_tiles; tile++) {
            tile_regs_acquire();
            copy_tile(in_tiled, tile, 0);
            mul_unary_tile(0, 0x40000000);
            tile_regs_commit();
            tile_regs_wait();
            pack_untilize_dest<1, block_tiles>(out_rm, 1, tile);
            tile_regs_release();
        }
        pack_untilize_uninit(out_rm);
        cb_push_back(out_rm, block_tiles);
        cb_pop_front(in_tiled, block_tiles);
    }
}
