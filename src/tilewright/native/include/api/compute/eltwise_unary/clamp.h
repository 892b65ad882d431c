// SPDX-License-Identifier: Apache-2.0
// Values cut to [param0, param1].
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_2(clamp, Clamp)
ALWI void clamp_tile_int32(uint32_t idst, uint32_t param0, uint32_t param1) {
    sfpu_call::unary(tw::SfpuUnary::ClampInt, idst, param0, param1);
}

}  // namespace ckernel
