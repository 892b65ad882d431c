// SPDX-License-Identifier: Apache-2.0
// Inverse error function.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(erfinv, Erfinv)

}  // namespace ckernel
