// SPDX-License-Identifier: Apache-2.0
// Reads 32 rows of a row-major tensor at a time into c_0, whose pages are tiles.
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
constexpr uint32_t stick_bytes = get_compile_time_arg_val(1);
constexpr auto input_args = TensorAccessorArgs<2>();

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    uint32_t stick = get_arg_val<uint32_t>(1);
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(2));
    for (uint32_t row = 0; row < num_rows; row++) {
        cb_reserve_back(0, row_tiles);
        uint32_t address = get_write_ptr(0);
        for (uint32_t i = 0; i < 32; i++) {
            noc_async_read_page(stick++, input, address);
            address += stick_bytes;
        }
        noc_async_read_barrier();
        cb_push_back(0, row_tiles);
    }
}
