// SPDX-License-Identifier: Apache-2.0
// Writes tiles from cb_out to the output tensor.
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out = 16;
constexpr auto output_args = TensorAccessorArgs<0>();

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    uint32_t page = get_arg_val<uint32_t>(1);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(2));
    for (uint32_t i = 0; i < num_tiles; i++) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(page++, output, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
