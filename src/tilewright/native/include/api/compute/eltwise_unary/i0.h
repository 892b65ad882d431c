// SPDX-License-Identifier: Apache-2.0
// Modified Bessel function of order 0.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(i0, BesselI0)

}  // namespace ckernel
