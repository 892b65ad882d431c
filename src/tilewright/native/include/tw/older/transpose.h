// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/transpose.h and transpose_dest.h.
#pragma once

#include "api/compute/transpose.h"
#include "api/compute/transpose_dest.h"

namespace ckernel {

inline void transpose_wh_init(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup(icb, ocb);
    transpose_init(icb, call_line);
}
inline void transpose_wh_init_short(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    transpose_init(icb, call_line);
}
inline void transpose_wh_tile(uint32_t icb, uint32_t itile, uint32_t idst) { transpose_tile(icb, itile, idst); }

template <bool is_32bit = false>
inline void transpose_wh_dest_init_short() {
    transpose_dest_init<is_32bit>();
}
template <bool is_32bit = false>
inline void transpose_wh_dest(uint32_t idst) {
    transpose_dest<is_32bit>(idst);
}

}  // namespace ckernel
