// SPDX-License-Identifier: Apache-2.0
// Least common multiple of two Int32 tiles.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(lcm, Lcm)

}  // namespace ckernel
