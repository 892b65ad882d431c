// SPDX-License-Identifier: Apache-2.0
// Mish: x * tanh(softplus(x)).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool APPROXIMATION_MODE, bool is_fp32_dest_acc_en = false>
ALWI void mish_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Mish, idst);
}
template <bool APPROXIMATION_MODE>
ALWI void mish_tile_init() {
    sfpu_call::init();
}

}  // namespace ckernel
