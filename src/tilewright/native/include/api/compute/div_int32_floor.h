// SPDX-License-Identifier: Apache-2.0
// Quotient of two Int32 tiles, rounded down or towards zero.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(div_int32_floor, DivIntFloor)
TW_SFPU_BINARY(div_int32_trunc, DivIntTrunc)

}  // namespace ckernel
