// SPDX-License-Identifier: Apache-2.0
// Tiles into row-major rows, by the unpacker (older than pack_untilize).
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
inline void untilize_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    state_configure(icb, call_line);
    tw_copy_init(icb, 0, 0);
    tw::programs_unpackers(tw::UnpackLoop::Untilize, 0, icb);
    tw::programs_maths(tw::MathLoop::Copy);
}

template <uint32_t block_ct_dim = 1, bool is_fp32_dest_acc_en = false>
inline void untilize_block(uint32_t icb, uint32_t full_ct_dim, uint32_t ocb) {
    tw_untilize_block(icb, full_ct_dim, ocb);
}

inline void untilize_uninit(uint32_t icb) { tw_unpack_restored(icb); }

}  // namespace ckernel

#include "tw/older/untilize.h"
