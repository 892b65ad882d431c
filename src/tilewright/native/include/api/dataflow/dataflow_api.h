// SPDX-License-Identifier: Apache-2.0
// The free functions of data-movement kernels.
#pragma once

#include <cstdint>

#include "tw/common.h"

#if !defined(COMPILE_FOR_TRISC)

#include "api/tensor/tensor_accessor.h"
#include "internal/dataflow/dataflow_api_addrgen.h"
#include "tw/cb_calls.h"
#include "tw/memory_map.h"
#include "tw/noc_registers.h"
#include "tw/noc_semaphores.h"
#include "tw/noc_transfers.h"

FORCE_INLINE bool cb_pages_reservable_at_back(int32_t operand, int32_t num_pages) {
    return tw_cb_pages_free(operand) >= uint32_t(num_pages);
}
FORCE_INLINE bool cb_pages_available_at_front(int32_t operand, int32_t num_pages) {
    return tw_cb_pages_at_front(operand) >= uint32_t(num_pages);
}
FORCE_INLINE uint32_t get_write_ptr(uint32_t operand) { return get_local_cb_interface(operand).fifo_wr_ptr; }
FORCE_INLINE uint32_t get_read_ptr(uint32_t operand) { return get_local_cb_interface(operand).fifo_rd_ptr; }

// An L1 address has no NoC coordinates.
inline bool is_l1_address(uint64_t addr) { return (addr >> 32) == 0; }

#endif
