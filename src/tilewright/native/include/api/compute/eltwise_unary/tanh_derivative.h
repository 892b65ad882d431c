// SPDX-License-Identifier: Apache-2.0
// 1 - tanh(x)^2.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool fast_and_approx = false>
ALWI void tanh_derivative_tile_init() {
    sfpu_call::init();
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void tanh_derivative_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::TanhDerivative, idst);
}

}  // namespace ckernel
