// SPDX-License-Identifier: Apache-2.0
// The parts of log gamma: Stirling's series, and the reflection that completes it below one half.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST(lgamma_stirling, LgammaStirling)
TW_SFPU_BINARY(lgamma_stirling_float, LgammaStirling)  // the second tile holds log(z)

// idst0: Stirling's value, idst1: log|sin(pi x)|, idst2: x
template <bool is_fp32_dest_acc_en = false>
ALWI void lgamma_adjusted_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t idst3) {
    sfpu_call::ternary(tw::SfpuTernary::LgammaAdjusted, idst0, idst1, idst2, idst3);
}
ALWI void lgamma_adjusted_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
