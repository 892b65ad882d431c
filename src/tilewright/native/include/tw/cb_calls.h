// SPDX-License-Identifier: Apache-2.0
// Free functions of circular buffers that both kinds of kernel have: dataflow_api.h and cb_api.h
// include them.
#pragma once

#include <cstdint>

#include "tw/common.h"

FORCE_INLINE void cb_wait_front(int32_t operand, int32_t num_pages) { tw_cb_wait_front(operand, num_pages); }
FORCE_INLINE void cb_pop_front(int32_t operand, int32_t num_pages) { tw_cb_pop_front(operand, num_pages); }
FORCE_INLINE void cb_reserve_back(int32_t operand, int32_t num_pages) { tw_cb_reserve_back(operand, num_pages); }
FORCE_INLINE void cb_push_back(int32_t operand, int32_t num_pages) { tw_cb_push_back(operand, num_pages); }

#if defined(COMPILE_FOR_TRISC)
namespace ckernel {
using ::cb_pop_front;
using ::cb_push_back;
using ::cb_reserve_back;
using ::cb_wait_front;
}  // namespace ckernel
#endif
