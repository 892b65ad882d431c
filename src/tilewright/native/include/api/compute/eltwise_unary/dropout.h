// SPDX-License-Identifier: Apache-2.0
// Zeros at random: probability in units of 2^-31, the rest times scale_factor.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void dropout_tile(uint32_t idst, uint32_t probability, uint32_t scale_factor) {
    sfpu_call::unary(tw::SfpuUnary::Dropout, idst, probability, scale_factor);
}
ALWI void dropout_kernel_init(uint32_t seed = 0) { tw_sfpu_seed(seed); }

}  // namespace ckernel
