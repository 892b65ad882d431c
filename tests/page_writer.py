# SPDX-License-Identifier: Apache-2.0
"""A writer kernel for programs of one core: pages of c_16 go to a tensor, one at a time.

Its compile-time arguments are the tensor's accessor; its common arguments its address and the number of pages.
"""

PAGE_WRITER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto to = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_common_arg_val<uint32_t>(1); page++) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, to, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
