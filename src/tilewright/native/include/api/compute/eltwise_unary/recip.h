// SPDX-License-Identifier: Apache-2.0
// Reciprocal.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };

template <
    ReciprocalDestAcc dest_acc = ReciprocalDestAcc::BF16,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile_init() {
    sfpu_call::init(tw::SfpuUnary::Reciprocal);
}

template <
    ReciprocalDestAcc dest_acc = ReciprocalDestAcc::BF16,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile(uint32_t idst, sfpu_call::Faces vector_mode = VectorMode::RC) {
    sfpu_call::unary_on(tw::SfpuUnary::Reciprocal, idst, vector_mode);
}

// Older spellings.

template <bool legacy_compat>
inline void recip_tile_init() {
    recip_tile_init();
}
template <bool legacy_compat>
inline void recip_tile(uint32_t idst, sfpu_call::Faces vector_mode = VectorMode::RC) {
    recip_tile(idst, vector_mode);
}

}  // namespace ckernel
