// SPDX-License-Identifier: Apache-2.0
// Reads rows of tiles into c_0, a block at a time; optionally two tensors (c_1) and a reduce scaler (c_2).
#include "api/dataflow/dataflow_api.h"
#include "scaler.h"

constexpr uint32_t block_tiles = get_compile_time_arg_val(0);
constexpr uint32_t scaler_bits = get_compile_time_arg_val(1);  // bfloat16, 0: no scaler
constexpr uint32_t num_inputs = get_compile_time_arg_val(2);
constexpr auto first_args = TensorAccessorArgs<3>();
constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();

template <typename Accessor>
void read_block(uint32_t cb, const Accessor& tensor, uint32_t page) {
    cb_reserve_back(cb, block_tiles);
    uint32_t address = get_write_ptr(cb);
    for (uint32_t i = 0; i < block_tiles; i++) {
        noc_async_read_page(page + i, tensor, address);
        address += get_tile_size(cb);
    }
}

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t start_page = get_arg_val<uint32_t>(1);
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(2));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(3));
    if constexpr (scaler_bits != 0) {
        fill_scaler(2, scaler_bits);
    }
    for (uint32_t block = 0; block < num_blocks; block++) {
        const uint32_t page = start_page + block * block_tiles;
        read_block(0, first, page);
        if constexpr (num_inputs > 1) {
            read_block(1, second, page);
        }
        noc_async_read_barrier();
        cb_push_back(0, block_tiles);
        if constexpr (num_inputs > 1) {
            cb_push_back(1, block_tiles);
        }
    }
}
