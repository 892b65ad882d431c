// SPDX-License-Identifier: Apache-2.0
// Greatest common divisor of two Int32 tiles.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(gcd, Gcd)

}  // namespace ckernel
