// SPDX-License-Identifier: Apache-2.0
// For each output block of a matrix product: its rows of the first operand into c_0, its columns of the second into c_1,
// both over the whole inner dimension.
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t inner_tiles = get_compile_time_arg_val(0);
constexpr uint32_t columns_tiles = get_compile_time_arg_val(1);  // of the second operand
constexpr uint32_t side = get_compile_time_arg_val(2);           // of an output block, in tiles
constexpr auto first_args = TensorAccessorArgs<3>();
constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(2));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(3));
    constexpr uint32_t blocks_in_row = columns_tiles / side;
    constexpr uint32_t block_tiles = side * inner_tiles;
    for (uint32_t block = first_block; block < first_block + num_blocks; block++) {
        const uint32_t row = block / blocks_in_row * side;
        const uint32_t column = block % blocks_in_row * side;
        cb_reserve_back(0, block_tiles);
        cb_reserve_back(1, block_tiles);
        uint32_t first_address = get_write_ptr(0);
        uint32_t second_address = get_write_ptr(1);
        for (uint32_t i = 0; i < block_tiles; i++) {
            noc_async_read_page(row * inner_tiles + i, first, first_address);
            noc_async_read_page(i / side * columns_tiles + column + i % side, second, second_address);
            first_address += get_tile_size(0);
            second_address += get_tile_size(1);
        }
        noc_async_read_barrier();
        cb_push_back(0, block_tiles);
        cb_push_back(1, block_tiles);
    }
}
