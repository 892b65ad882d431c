// SPDX-License-Identifier: Apache-2.0
// log(1 + x).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void log1p_tile_init() {
    sfpu_call::init(tw::SfpuUnary::Log1p);
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void log1p_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Log1p, idst);
}

}  // namespace ckernel
