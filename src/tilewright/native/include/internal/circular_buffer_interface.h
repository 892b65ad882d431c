// SPDX-License-Identifier: Apache-2.0
// A kernel's own view of its circular buffers.
#pragma once

#include <cstdint>

#include "../../abi/circular_buffer.h"
#include "../../abi/context.h"
#include "internal/risc_attribs.h"
#include "tt-metalium/circular_buffer_constants.h"

inline LocalCBInterface& get_local_cb_interface(uint32_t cb_id) { return tw_context()->cb[cb_id]; }

// Registers that count the pages a CB has received and given back since the program began.
inline volatile uint32_t tt_reg_ptr* get_cb_tiles_received_ptr(int operand) { return tw_cb_counter(operand, 0); }
inline volatile uint32_t tt_reg_ptr* get_cb_tiles_acked_ptr(int operand) { return tw_cb_counter(operand, 1); }

// Compute kernels count CB addresses in 16-byte words.
#if defined(COMPILE_FOR_TRISC)
constexpr uint32_t cb_addr_shift = CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT;
#else
constexpr uint32_t cb_addr_shift = 0;
#endif

inline bool cb_access_within_bounds(uint32_t cb_id, uint32_t start_tile_index, uint32_t num_tiles) {
    const LocalCBInterface& cb = get_local_cb_interface(cb_id);
    return cb.fifo_rd_ptr + (start_tile_index + num_tiles) * cb.fifo_page_size <= cb.fifo_limit;
}
