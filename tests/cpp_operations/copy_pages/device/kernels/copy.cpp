// SPDX-License-Identifier: Apache-2.0
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t page_size = get_compile_time_arg_val(0);
    constexpr auto input_args = TensorAccessorArgs<1>();
    constexpr auto output_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0), page_size);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1), page_size);
    const uint32_t pages = get_common_arg_val<uint32_t>(0);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(0, 1);
        const uint32_t place = get_write_ptr(0);
        noc_async_read(input.get_noc_addr(page), place, page_size);
        noc_async_read_barrier();
        noc_async_write(place, output.get_noc_addr(page), page_size);
        noc_async_write_barrier();
    }
}
