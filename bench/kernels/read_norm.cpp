// SPDX-License-Identifier: Apache-2.0
// Reads gamma (c_5) and beta (c_6) once, the scaler (c_2), then rows of tiles into c_0.
#include "api/dataflow/dataflow_api.h"
#include "scaler.h"

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
constexpr uint32_t scaler_bits = get_compile_time_arg_val(1);
constexpr auto input_args = TensorAccessorArgs<2>();
constexpr auto gamma_args = TensorAccessorArgs<input_args.next_compile_time_args_offset()>();
constexpr auto beta_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();

template <typename Accessor>
void read_row(uint32_t cb, const Accessor& tensor, uint32_t page) {
    cb_reserve_back(cb, row_tiles);
    uint32_t address = get_write_ptr(cb);
    for (uint32_t i = 0; i < row_tiles; i++) {
        noc_async_read_page(page + i, tensor, address);
        address += get_tile_size(cb);
    }
    noc_async_read_barrier();
    cb_push_back(cb, row_tiles);
}

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    const uint32_t start_page = get_arg_val<uint32_t>(1);
    fill_scaler(2, scaler_bits);
    read_row(5, TensorAccessor(gamma_args, get_arg_val<uint32_t>(3)), 0);
    read_row(6, TensorAccessor(beta_args, get_arg_val<uint32_t>(4)), 0);
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(2));
    for (uint32_t row = 0; row < num_rows; row++) {
        read_row(0, input, start_page + row * row_tiles);
    }
}
