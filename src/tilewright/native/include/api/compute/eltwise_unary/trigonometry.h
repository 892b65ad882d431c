// SPDX-License-Identifier: Apache-2.0
// Trigonometric and hyperbolic functions and their inverses.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST(sin, Sin)
TW_SFPU_UNARY_DEST(cos, Cos)
TW_SFPU_UNARY_DEST(tan, Tan)
TW_SFPU_UNARY_DEST_BOTH(asin, Asin)
TW_SFPU_UNARY_DEST_BOTH(acos, Acos)
TW_SFPU_UNARY_DEST_BOTH(atan, Atan)
TW_SFPU_UNARY_DEST_BOTH(sinh, Sinh)
TW_SFPU_UNARY_DEST_BOTH(cosh, Cosh)
TW_SFPU_UNARY_DEST_BOTH(asinh, Asinh)
TW_SFPU_UNARY_DEST_BOTH(acosh, Acosh)
TW_SFPU_UNARY_DEST_BOTH(atanh, Atanh)

}  // namespace ckernel
