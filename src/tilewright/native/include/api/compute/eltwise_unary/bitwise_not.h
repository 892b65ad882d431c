// SPDX-License-Identifier: Apache-2.0
// Every bit of an integer tile inverted.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(bitwise_not, BitwiseNot)

}  // namespace ckernel
