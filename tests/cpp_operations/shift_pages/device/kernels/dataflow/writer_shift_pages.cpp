// SPDX-License-Identifier: Apache-2.0
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<2>();
    const uint32_t address = get_arg_val<uint32_t>(0), start = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t page_size = get_compile_time_arg_val(1);
    const auto output = TensorAccessor(args, address, page_size);
    for (uint32_t page = start; page < start + count; ++page) {
        cb_wait_front(cb, 1);
        noc_async_write(get_read_ptr(cb), output.get_noc_addr(page), page_size);
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}
