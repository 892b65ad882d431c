// SPDX-License-Identifier: Apache-2.0
// Negative values times param0.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_1(prelu, Prelu)

}  // namespace ckernel
