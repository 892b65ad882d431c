// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/bcast.h.
#pragma once

#include "api/compute/bcast.h"

namespace ckernel {

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void init_bcast(uint32_t icb0, uint32_t icb1, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup(icb0, icb1, ocb);
    bcast_init<tBcastOp, tBcastDim>(icb0, icb1, call_line);
}

// Start-up and init in one.
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = false>
ALWI void unary_bcast_init(uint32_t icb, uint32_t ocb) {
    compute_kernel_hw_startup(icb, ocb);
    unary_bcast_init<bcast_type>(icb);
}
template <BroadcastType old_bcast_type, BroadcastType new_bcast_type>
ALWI void reconfigure_unary_bcast(uint32_t old_icb, uint32_t new_icb, uint32_t old_ocb, uint32_t new_ocb) {
    tw_reconfig_src_a_if_different(old_icb, new_icb);
    tw_reconfig_src_b_if_different(old_icb, new_icb);
    tw_reconfig_pack_if_different(old_ocb, new_ocb);
    unary_bcast_init<new_bcast_type>(new_icb);
}

ALWI void add_bcast_cols_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    add_bcast_cols_init(icb0, icb1, call_line);
}

ALWI void add_bcast_rows_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    add_bcast_rows_init(icb0, icb1, call_line);
}

ALWI void add_bcast_scalar_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    add_bcast_scalar_init(icb0, icb1, call_line);
}

ALWI void sub_bcast_cols_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    sub_bcast_cols_init(icb0, icb1, call_line);
}

ALWI void sub_bcast_rows_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    sub_bcast_rows_init(icb0, icb1, call_line);
}

ALWI void sub_bcast_scalar_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    sub_bcast_scalar_init(icb0, icb1, call_line);
}

ALWI void mul_bcast_cols_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    mul_bcast_cols_init(icb0, icb1, call_line);
}

ALWI void mul_bcast_rows_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    mul_bcast_rows_init(icb0, icb1, call_line);
}

ALWI void mul_bcast_scalar_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    mul_bcast_scalar_init(icb0, icb1, call_line);
}

ALWI void mul_tiles_bcast_scalar_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    mul_bcast_scalar_init(icb0, icb1, call_line);
}

ALWI void sub_tiles_bcast_scalar_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    sub_bcast_scalar_init(icb0, icb1, call_line);
}

ALWI void add_tiles_bcast_scalar_init_short(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    add_bcast_scalar_init(icb0, icb1, call_line);
}

}  // namespace ckernel
