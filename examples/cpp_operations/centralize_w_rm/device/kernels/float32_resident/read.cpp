// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in_rm = 0;
constexpr uint32_t cb_scaler = 2;
constexpr uint32_t FLOAT32_TILE_BYTES = 4096;
constexpr uint32_t FLOAT32_ONE = 1065353216;
constexpr uint32_t TILE_ROWS = 32;

// The bits of the bfloat16 nearest to a float32, ties to even.
uint32_t bfloat16_bits(uint32_t value_bits) {
    return (value_bits + 0x7FFF + ((value_bits >> 16) & 1)) >> 16;
}

// Row 0 of each face: the value in the tile's first valid_columns columns. Zero everywhere else.
void write_scaler_tile(uint32_t address, bool is_float32, uint32_t value_bits, uint32_t valid_columns) {
    const uint32_t num_bytes = is_float32 ? FLOAT32_TILE_BYTES : FLOAT32_TILE_BYTES / 2;
    for (uint32_t offset = 0; offset < num_bytes; offset += MEM_ZEROS_SIZE) {
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), address + offset, MEM_ZEROS_SIZE);
    }
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t* floats = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    volatile tt_l1_ptr uint16_t* halves = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(address);
    const uint32_t half_bits = bfloat16_bits(value_bits);
    if (valid_columns == 32) {
        const uint32_t words = is_float32 ? 16 : 8;  // of a row of a face
        const uint32_t word_bits = is_float32 ? value_bits : (half_bits << 16) | half_bits;
        for (uint32_t word = 0; word < words; word++) {
            floats[word] = word_bits;
            floats[word + 16 * words] = word_bits;
            floats[word + 32 * words] = word_bits;
            floats[word + 48 * words] = word_bits;
        }
        return;
    }
    for (uint32_t column = 0; column < valid_columns; column++) {
        // Columns 0 to 15 are row 0 of faces 0 and 2, the others of faces 1 and 3.
        const uint32_t first = column < 16 ? column : column + 240;
        if (is_float32) {
            floats[first] = value_bits;
            floats[first + 512] = value_bits;
        } else {
            halves[first] = half_bits;
            halves[first + 512] = half_bits;
        }
    }
}

// Two scalers of a reduction: one for whole tiles, then one for a last tile with valid_columns columns.
void fill_partial_scaler_tiles(uint32_t cb, uint32_t value_bits, uint32_t valid_columns) {
    cb_reserve_back(cb, 2);
    const bool is_float32 = static_cast<uint32_t>(get_tile_size(cb)) == FLOAT32_TILE_BYTES;
    const uint32_t address = get_write_ptr(cb);
    write_scaler_tile(address, is_float32, value_bits, 32);
    write_scaler_tile(address + get_tile_size(cb), is_float32, value_bits, valid_columns);
    cb_push_back(cb, 2);
}

// A reduction's scaler: the value in row 0 of each face, zero elsewhere.
void fill_scaler_tile(uint32_t cb, uint32_t value_bits) {
    cb_reserve_back(cb, 1);
    write_scaler_tile(get_write_ptr(cb), static_cast<uint32_t>(get_tile_size(cb)) == FLOAT32_TILE_BYTES, value_bits,
        32);
    cb_push_back(cb, 1);
}

// The scaler of plain row sums: ones, and where W ends inside a tile a second page with ones for its columns.
template <uint32_t last_tile_columns>
void fill_row_scaler(uint32_t cb) {
    if constexpr (last_tile_columns != 32) {
        fill_partial_scaler_tiles(cb, FLOAT32_ONE, last_tile_columns);
    } else {
        fill_scaler_tile(cb, FLOAT32_ONE);
    }
}

// Elements have at least two bytes.
void fill_zeros(uint32_t address, uint32_t num_bytes) {
    volatile tt_l1_ptr uint16_t* elements = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(address);
    for (uint32_t i = 0; i < num_bytes / 2; i++) {
        elements[i] = 0;
    }
}

// Brings num_bytes at offset_bytes of each of num_sticks sticks into a block of 32 rows.
template <typename TensorType>
void read_sticks(const TensorType& tensor, uint32_t cb, uint32_t first_stick, uint32_t num_sticks,
    uint32_t offset_bytes, uint32_t num_bytes, uint32_t row_bytes, uint32_t num_pages) {
    cb_reserve_back(cb, num_pages);
    uint32_t address = get_write_ptr(cb);
    for (uint32_t stick = first_stick; stick < first_stick + num_sticks; stick++) {
        noc_async_read(tensor.get_noc_addr(stick, offset_bytes), address, num_bytes);
        if (num_bytes < row_bytes) {
            fill_zeros(address + num_bytes, row_bytes - num_bytes);
        }
        address += row_bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb, num_pages);
}

// Up to 32 sticks, block by block; a last block that is not full is filled up with zeros.
template <typename TensorType>
void read_blocks(const TensorType& tensor, uint32_t cb, uint32_t first_stick, uint32_t num_sticks, uint32_t stick_bytes,
    uint32_t block_bytes, uint32_t num_pages) {
    for (uint32_t offset = 0; offset < stick_bytes; offset += block_bytes) {
        const uint32_t num_bytes = std::min<uint32_t>(block_bytes, stick_bytes - offset);
        read_sticks(tensor, cb, first_stick, num_sticks, offset, num_bytes, block_bytes, num_pages);
    }
}

// What compute takes, in its order.
void kernel_main() {
    constexpr uint32_t block_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t last_tile_columns = get_compile_time_arg_val(1);
    constexpr uint32_t stick_bytes = get_compile_time_arg_val(2);
    constexpr uint32_t block_bytes = get_compile_time_arg_val(3);
    constexpr auto x_args = TensorAccessorArgs<4>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0));
    const uint32_t first_stick = get_arg_val<uint32_t>(1);
    const uint32_t num_sticks = get_arg_val<uint32_t>(2);

    fill_row_scaler<last_tile_columns>(cb_scaler);
    const uint32_t end = first_stick + num_sticks;
    for (uint32_t stick = first_stick; stick < end; stick += TILE_ROWS) {
        const uint32_t rows = std::min<uint32_t>(TILE_ROWS, end - stick);
        read_blocks(x, cb_in_rm, stick, rows, stick_bytes, block_bytes, block_tiles);
    }
}
