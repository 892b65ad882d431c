// SPDX-License-Identifier: Apache-2.0
// The start of an element-wise kernel with one input, as older kernels write it.
#pragma once

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
inline void unary_op_init_common(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    (void)call_line;
    compute_kernel_hw_startup(icb, ocb);
    copy_init(icb);
}

template <bool is_fp32_dest_acc_en = false>
inline void init_sfpu(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    (void)call_line;
    compute_kernel_hw_startup(icb, ocb);
    copy_init(icb);
}

}  // namespace ckernel
