// SPDX-License-Identifier: Apache-2.0
// x - tanh(x).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST_BOTH(tanhshrink, Tanhshrink)

}  // namespace ckernel
