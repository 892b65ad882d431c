// SPDX-License-Identifier: Apache-2.0
// Values up to param0 become param1.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_2(threshold, Threshold)

}  // namespace ckernel
