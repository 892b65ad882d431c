// SPDX-License-Identifier: Apache-2.0
// Tests for infinities and NaN: 1.0 where true, 0.0 elsewhere.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(isinf, IsInf)
TW_SFPU_UNARY(isposinf, IsPosInf)
TW_SFPU_UNARY(isneginf, IsNegInf)
TW_SFPU_UNARY(isnan, IsNan)
TW_SFPU_UNARY(isfinite, IsFinite)

}  // namespace ckernel
