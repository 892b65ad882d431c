// SPDX-License-Identifier: Apache-2.0
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t page = get_named_compile_time_arg_val("page");
    constexpr uint32_t words = get_named_compile_time_arg_val("words");
    constexpr uint32_t mode = get_named_compile_time_arg_val("mode");
    const uint32_t first = get_arg_val<uint32_t>(3), pages = get_arg_val<uint32_t>(4);
    const auto factor = static_cast<int32_t>(get_arg_val<uint32_t>(5));
    constexpr auto input_args = TensorAccessorArgs<0>();
    constexpr auto other_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
    constexpr auto output_args = TensorAccessorArgs<other_args.next_compile_time_args_offset()>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0), page);
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(2), page);
    const uint32_t a = get_write_ptr(0), b = get_write_ptr(1);
    auto* x = reinterpret_cast<volatile tt_l1_ptr int32_t*>(a);
    auto* y = reinterpret_cast<volatile tt_l1_ptr int32_t*>(b);
    for (uint32_t each = first; each < first + pages; ++each) {
        noc_async_read_page(each, input, a);
        if constexpr (mode != 2) {
            noc_async_read_page(each, TensorAccessor(other_args, get_arg_val<uint32_t>(1), page), b);
        }
        noc_async_read_barrier();
        for (uint32_t word = 0; word < words; ++word) {
            const int32_t product = x[word] * factor;
            y[word] = mode == 0 ? product + y[word] : mode == 1 ? product - y[word] : product;
        }
        noc_async_write_page(each, output, b);
        noc_async_write_barrier();
    }
}
