// SPDX-License-Identifier: Apache-2.0
// Write the pages of a circular buffer to a tensor; a barrier is missing before the pop.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < pages; page++) {
        cb_wait_front(0, 1);
        noc_async_write_page(page, tensor, get_read_ptr(0));
        cb_pop_front(0, 1);
    }
    noc_async_write_barrier();
}
