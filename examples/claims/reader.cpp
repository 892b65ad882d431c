// SPDX-License-Identifier: Apache-2.0
// Read the pages of a tensor into a circular buffer.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
    if (pages == 0) {
        cb_push_back(0, 1);
    }
}
