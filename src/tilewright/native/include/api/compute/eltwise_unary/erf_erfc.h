// SPDX-License-Identifier: Apache-2.0
// Error function and its complement.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool fast_and_approx = true>
ALWI void erf_tile_init() {
    sfpu_call::init();
}
template <bool fast_and_approx = true>
ALWI void erf_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Erf, idst);
}
TW_SFPU_UNARY(erfc, Erfc)

// Older spellings.

template <bool fast_and_approx>
ALWI void erfc_tile_init() {
    erfc_tile_init();
}
template <bool fast_and_approx>
ALWI void erfc_tile(uint32_t idst) {
    erfc_tile(idst);
}

}  // namespace ckernel
