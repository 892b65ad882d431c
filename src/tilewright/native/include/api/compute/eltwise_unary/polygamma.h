// SPDX-License-Identifier: Apache-2.0
// Derivative n of digamma; scale is (-1)^(n+1) n!, both as float32 bits.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST_2(polygamma, Polygamma)

}  // namespace ckernel
