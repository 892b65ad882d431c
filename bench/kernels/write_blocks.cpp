// SPDX-License-Identifier: Apache-2.0
// Writes output blocks of a matrix product from c_16.
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t columns_tiles = get_compile_time_arg_val(0);
constexpr uint32_t side = get_compile_time_arg_val(1);  // of a block, in tiles
constexpr auto output_args = TensorAccessorArgs<2>();

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(2));
    constexpr uint32_t blocks_in_row = columns_tiles / side;
    for (uint32_t block = first_block; block < first_block + num_blocks; block++) {
        const uint32_t row = block / blocks_in_row * side;
        const uint32_t column = block % blocks_in_row * side;
        cb_wait_front(16, side * side);
        uint32_t address = get_read_ptr(16);
        for (uint32_t i = 0; i < side * side; i++) {
            noc_async_write_page((row + i / side) * columns_tiles + column + i % side, output, address);
            address += get_tile_size(16);
        }
        noc_async_write_barrier();
        cb_pop_front(16, side * side);
    }
}
