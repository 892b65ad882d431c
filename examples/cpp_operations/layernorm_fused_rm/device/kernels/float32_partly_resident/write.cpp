// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out_rm = 16;
constexpr uint32_t TILE_ROWS = 32;

// Takes num_bytes from each of the first num_sticks rows of a block to offset_bytes of the tensor's sticks.
template <typename TensorType>
void write_sticks(const TensorType& tensor, uint32_t cb, uint32_t first_stick, uint32_t num_sticks,
    uint32_t offset_bytes, uint32_t num_bytes, uint32_t row_bytes, uint32_t num_pages) {
    cb_wait_front(cb, num_pages);
    uint32_t address = get_read_ptr(cb);
    for (uint32_t stick = first_stick; stick < first_stick + num_sticks; stick++) {
        noc_async_write(address, tensor.get_noc_addr(stick, offset_bytes), num_bytes);
        address += row_bytes;
    }
    noc_async_write_barrier();
    cb_pop_front(cb, num_pages);
}

// Up to 32 sticks from blocks; of the last block only what belongs to the tensor.
template <typename TensorType>
void write_blocks(const TensorType& tensor, uint32_t cb, uint32_t first_stick, uint32_t num_sticks,
    uint32_t stick_bytes, uint32_t block_bytes, uint32_t num_pages) {
    for (uint32_t offset = 0; offset < stick_bytes; offset += block_bytes) {
        const uint32_t num_bytes = std::min<uint32_t>(block_bytes, stick_bytes - offset);
        write_sticks(tensor, cb, first_stick, num_sticks, offset, num_bytes, block_bytes, num_pages);
    }
}

// Tile-row after tile-row, only what the tensor has.
void kernel_main() {
    constexpr uint32_t stick_bytes = get_compile_time_arg_val(0);
    constexpr uint32_t block_bytes = get_compile_time_arg_val(1);
    constexpr auto output_args = TensorAccessorArgs<2>();
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(0));
    const uint32_t first_stick = get_arg_val<uint32_t>(1);
    const uint32_t num_sticks = get_arg_val<uint32_t>(2);

    const uint32_t end = first_stick + num_sticks;
    for (uint32_t stick = first_stick; stick < end; stick += TILE_ROWS) {
        const uint32_t rows = std::min<uint32_t>(TILE_ROWS, end - stick);
        write_blocks(output, cb_out_rm, stick, rows, stick_bytes, block_bytes, TILE_ROWS);
    }
}
