// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/bcast.h.
#pragma once

#include "api/compute/bcast.h"

namespace ckernel {

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
inline void init_bcast(uint32_t icb0, uint32_t icb1, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup(icb0, icb1, ocb);
    bcast_init<tBcastOp, tBcastDim>(icb0, icb1, call_line);
}

// Start-up and init in one.
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = false>
inline void unary_bcast_init(uint32_t icb, uint32_t ocb) {
    compute_kernel_hw_startup(icb, ocb);
    unary_bcast_init<bcast_type>(icb);
}
template <BroadcastType old_bcast_type, BroadcastType new_bcast_type>
inline void reconfigure_unary_bcast(uint32_t old_icb, uint32_t new_icb, uint32_t old_ocb, uint32_t new_ocb) {
    tw_reconfig_src_a_if_different(old_icb, new_icb);
    tw_reconfig_src_b_if_different(old_icb, new_icb);
    tw_reconfig_pack_if_different(old_ocb, new_ocb);
    unary_bcast_init<new_bcast_type>(new_icb);
}

#define TW_SHORT(older, today) \
    inline void older(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) { \
        today(icb0, icb1, call_line); \
    }
TW_SHORT(add_bcast_cols_init_short, add_bcast_cols_init)
TW_SHORT(add_bcast_rows_init_short, add_bcast_rows_init)
TW_SHORT(add_bcast_scalar_init_short, add_bcast_scalar_init)
TW_SHORT(sub_bcast_cols_init_short, sub_bcast_cols_init)
TW_SHORT(sub_bcast_rows_init_short, sub_bcast_rows_init)
TW_SHORT(sub_bcast_scalar_init_short, sub_bcast_scalar_init)
TW_SHORT(mul_bcast_cols_init_short, mul_bcast_cols_init)
TW_SHORT(mul_bcast_rows_init_short, mul_bcast_rows_init)
TW_SHORT(mul_bcast_scalar_init_short, mul_bcast_scalar_init)
TW_SHORT(add_tiles_bcast_scalar_init_short, add_bcast_scalar_init)
TW_SHORT(sub_tiles_bcast_scalar_init_short, sub_bcast_scalar_init)
TW_SHORT(mul_tiles_bcast_scalar_init_short, mul_bcast_scalar_init)
#undef TW_SHORT

}  // namespace ckernel
