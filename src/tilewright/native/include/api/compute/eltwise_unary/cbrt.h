// SPDX-License-Identifier: Apache-2.0
// Cube root.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST(cbrt, Cbrt)

}  // namespace ckernel
