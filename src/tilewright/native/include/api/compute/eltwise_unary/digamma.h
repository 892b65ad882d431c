// SPDX-License-Identifier: Apache-2.0
// The logarithmic derivative of the gamma function.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(digamma, Digamma)

}  // namespace ckernel
