// SPDX-License-Identifier: Apache-2.0
// Writes tiles from c_16, a block at a time.
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t block_tiles = get_compile_time_arg_val(0);
constexpr auto output_args = TensorAccessorArgs<1>();

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    uint32_t page = get_arg_val<uint32_t>(1);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(2));
    for (uint32_t block = 0; block < num_blocks; block++) {
        cb_wait_front(16, block_tiles);
        uint32_t address = get_read_ptr(16);
        for (uint32_t i = 0; i < block_tiles; i++) {
            noc_async_write_page(page++, output, address);
            address += get_tile_size(16);
        }
        noc_async_write_barrier();
        cb_pop_front(16, block_tiles);
    }
}
