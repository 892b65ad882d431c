// SPDX-License-Identifier: Apache-2.0
// Square root.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void sqrt_tile_init() { sfpu_call::init(tw::SfpuUnary::Sqrt); }
template <bool FAST_APPROX = false, bool is_fp32_dest_acc_en = false>
ALWI void sqrt_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Sqrt, idst);
}

// Older spellings.

template <bool fast_approx>
ALWI void sqrt_tile_init() {
    sqrt_tile_init();
}

}  // namespace ckernel
