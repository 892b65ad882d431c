// SPDX-License-Identifier: Apache-2.0
// Reads rows of tiles into cb_in; before that it makes the tile of ones a reduction multiplies with.
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0, cb_ones = 2;
constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
constexpr auto input_args = TensorAccessorArgs<1>();

void make_ones() {
    cb_reserve_back(cb_ones, 1);
    volatile tt_l1_ptr uint16_t* tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_write_ptr(cb_ones));
    for (uint32_t i = 0; i < 1024; i++) {
        tile[i] = (i % 256) < 16 ? 0x3f80 : 0;  // bfloat16 1.0 in row 0 of every face
    }
    cb_push_back(cb_ones, 1);
}

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    uint32_t page = get_arg_val<uint32_t>(1);
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(2));
    make_ones();
    for (uint32_t row = 0; row < num_rows; row++) {
        cb_reserve_back(cb_in, row_tiles);
        uint32_t address = get_write_ptr(cb_in);
        for (uint32_t i = 0; i < row_tiles; i++) {
            noc_async_read_page(page++, input, address);
            address += get_tile_size(cb_in);
        }
        noc_async_read_barrier();
        cb_push_back(cb_in, row_tiles);
    }
}
