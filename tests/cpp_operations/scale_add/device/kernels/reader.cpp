// SPDX-License-Identifier: Apache-2.0
#include "dataflow_api.h"
void kernel_main() {
    const uint32_t a = get_arg_val<uint32_t>(0), b = get_arg_val<uint32_t>(1), start = get_arg_val<uint32_t>(2),
                   n = get_arg_val<uint32_t>(3);
    constexpr bool has_other = get_compile_time_arg_val(0);
    constexpr auto aa = TensorAccessorArgs<1>();
    constexpr auto bb = TensorAccessorArgs<aa.next_compile_time_args_offset()>();
    const auto sa = TensorAccessor(aa, a, get_tile_size(0));
    const auto sb = TensorAccessor(bb, b, get_tile_size(1));
    for (uint32_t i = start; i < start + n; ++i) {
        cb_reserve_back(0, 1);
        noc_async_read_page(i, sa, get_write_ptr(0));
        if constexpr (has_other) {
            cb_reserve_back(1, 1);
            noc_async_read_page(i, sb, get_write_ptr(1));
        }
        noc_async_read_barrier();
        cb_push_back(0, 1);
        if constexpr (has_other)
            cb_push_back(1, 1);
    }
}
