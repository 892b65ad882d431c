// SPDX-License-Identifier: Apache-2.0
// Reciprocal square root.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

enum class RsqrtMode { Default, Fast };

ALWI void rsqrt_tile_init() { sfpu_call::init(tw::SfpuUnary::Rsqrt); }
template <RsqrtMode mode = RsqrtMode::Default, bool is_fp32_dest_acc_en = false>
ALWI void rsqrt_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Rsqrt, idst);
}

// Older spellings.

template <bool legacy_compat>
inline void rsqrt_tile_init() {
    rsqrt_tile_init();
}
template <bool legacy_compat, bool fast_approx = false>
inline void rsqrt_tile(uint32_t idst) {
    rsqrt_tile(idst);
}

}  // namespace ckernel
