// SPDX-License-Identifier: Apache-2.0
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    constexpr uint32_t page_size = get_compile_time_arg_val(0);
    constexpr uint32_t num_inputs = get_compile_time_arg_val(1);
    constexpr bool has_bias = get_compile_time_arg_val(2) != 0;
    constexpr auto args = TensorAccessorArgs<3>();
    const uint32_t scale = get_common_arg_val<uint32_t>(0);
    const uint32_t end = get_arg_val<uint32_t>(1);
    const auto output = TensorAccessor(args, get_arg_val<uint32_t>(2), page_size);
    constexpr uint32_t words = page_size / sizeof(uint32_t);

    cb_reserve_back(0, 1);
    cb_reserve_back(1, 1);
    auto* sum = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    auto* read = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(1));
    for (uint32_t page = get_arg_val<uint32_t>(0); page < end; ++page) {
        for (uint32_t input = has_bias ? 0 : 1; input <= num_inputs; ++input) {
            const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(3 + input), page_size);
            noc_async_read(tensor.get_noc_addr(page), get_write_ptr(1), page_size);
            noc_async_read_barrier();
            const bool is_first = input == (has_bias ? 0 : 1);
            for (uint32_t word = 0; word < words; ++word) {
                sum[word] = (is_first ? 0 : sum[word]) + (input == 0 ? read[word] : scale * read[word]);
            }
        }
        noc_async_write(get_write_ptr(0), output.get_noc_addr(page), page_size);
        noc_async_write_barrier();
    }
}
