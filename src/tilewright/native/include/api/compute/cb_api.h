// SPDX-License-Identifier: Apache-2.0
// Circular buffers as a compute kernel sees them.
#pragma once

#include "api/compute/common_globals.h"
#include "tw/cb_calls.h"

namespace ckernel {

// Byte address of a tile counted from the read pointer; the interface of a compute kernel counts 16-byte words.
inline uint32_t get_tile_l1_byte_address(uint32_t operand_id, uint32_t tile_index) {
    const LocalCBInterface& cb = tw_context()->cb[operand_id];
    return (cb.fifo_rd_ptr + cb.fifo_page_size * tile_index) << 4;
}

ALWI uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index) {
    return get_tile_l1_byte_address(cb_id, tile_index);
}

ALWI uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset) {
    return reinterpret_cast<volatile uint32_t*>(uintptr_t(get_tile_l1_byte_address(cb_id, tile_index)))[element_offset];
}

}  // namespace ckernel
