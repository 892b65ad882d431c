// SPDX-License-Identifier: Apache-2.0
// Hard Mish.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(hardmish, Hardmish)

}  // namespace ckernel
