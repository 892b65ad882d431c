// SPDX-License-Identifier: Apache-2.0
// Exponential linear unit with slope param0.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST_1(elu, Elu)

}  // namespace ckernel
