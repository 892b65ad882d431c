// SPDX-License-Identifier: Apache-2.0
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0), pages = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<3>();
    const uint32_t address = get_arg_val<uint32_t>(0), offset = get_arg_val<uint32_t>(1);
    const uint32_t start = get_arg_val<uint32_t>(2), count = get_arg_val<uint32_t>(3);
    constexpr uint32_t page_size = get_compile_time_arg_val(2);
    const auto input = TensorAccessor(args, address, page_size);
    for (uint32_t page = start; page < start + count; ++page) {
        cb_reserve_back(cb, 1);
        noc_async_read(input.get_noc_addr((page + offset) % pages), get_write_ptr(cb), page_size);
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
