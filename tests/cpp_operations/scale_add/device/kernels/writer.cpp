// SPDX-License-Identifier: Apache-2.0
#include "dataflow_api.h"
void kernel_main() {
    const uint32_t a = get_arg_val<uint32_t>(0), start = get_arg_val<uint32_t>(1), n = get_arg_val<uint32_t>(2);
    constexpr auto aa = TensorAccessorArgs<0>();
    const auto s = TensorAccessor(aa, a, get_tile_size(2));
    for (uint32_t i = start; i < start + n; ++i) {
        cb_wait_front(2, 1);
        noc_async_write_page(i, s, get_read_ptr(2));
        noc_async_write_barrier();
        cb_pop_front(2, 1);
    }
}
