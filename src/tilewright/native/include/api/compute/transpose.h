// SPDX-License-Identifier: Apache-2.0
// A tile transposed on its way into DST.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
ALWI void transpose_init(uint32_t icb, uint32_t call_line = __builtin_LINE()) {
    state_configure(icb, call_line);
    tw::programs_unpackers(tw::UnpackLoop::Transpose, 0, icb);
    tw::programs_maths(tw::MathLoop::Copy);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst) {
    tw_transpose_tile(icb, itile, idst);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst, uint32_t ntiles) {
    for (uint32_t i = 0; i < ntiles; ++i) {
        transpose_tile(icb, start_itile + i, start_idst + i);
    }
}

}  // namespace ckernel

#include "tw/older/transpose.h"
