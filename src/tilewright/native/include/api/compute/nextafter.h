// SPDX-License-Identifier: Apache-2.0
// The next float32 (or bfloat16) after idst0 towards idst1.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY_DEST(nextafter_binary, Nextafter)
TW_SFPU_BINARY_DEST(nextafter_bf16_binary, NextafterBfloat16)

}  // namespace ckernel
