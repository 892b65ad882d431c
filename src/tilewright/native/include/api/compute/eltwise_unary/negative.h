// SPDX-License-Identifier: Apache-2.0
// The sign turned.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(negative, Negative)
ALWI void negative_tile_int32(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::NegativeInt, idst); }

}  // namespace ckernel
