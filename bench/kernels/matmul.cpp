// SPDX-License-Identifier: Apache-2.0
// Output blocks of a matrix product, in pieces that fit DST; c_0 has rows of the first operand, c_1 columns of the second.
#include "api/compute/common.h"
#include "api/compute/matmul.h"

constexpr uint32_t inner_tiles = get_compile_time_arg_val(0);
constexpr uint32_t side = get_compile_time_arg_val(1);          // of an output block, in tiles
constexpr uint32_t piece_columns = get_compile_time_arg_val(2);
constexpr uint32_t piece_rows = get_compile_time_arg_val(3);

void multiply_piece(uint32_t row, uint32_t column) {
    tile_regs_acquire();
    for (uint32_t inner = 0; inner < inner_tiles; inner++) {
        matmul_block(
            0, 1, row * inner_tiles + inner, inner * side + column, 0, 0, piece_columns, piece_rows, inner_tiles);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < piece_rows * piece_columns; i++) {
        pack_tile<true>(i, 16, (row + i / piece_columns) * side + column + i % piece_columns);
    }
    tile_regs_release();
}

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);
    matmul_block_init(0, 1, 0, piece_columns, piece_rows, inner_tiles);
    for (uint32_t block = 0; block < num_blocks; block++) {
        cb_wait_front(0, side * inner_tiles);
        cb_wait_front(1, side * inner_tiles);
        cb_reserve_back(16, side * side);
        for (uint32_t row = 0; row < side; row += piece_rows) {
            for (uint32_t column = 0; column < side; column += piece_columns) {
                multiply_piece(row, column);
            }
        }
        cb_push_back(16, side * side);
        cb_pop_front(0, side * inner_tiles);
        cb_pop_front(1, side * inner_tiles);
    }
}
