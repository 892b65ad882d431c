// SPDX-License-Identifier: Apache-2.0
// Modified Bessel function of order 1.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(i1, BesselI1)

}  // namespace ckernel
