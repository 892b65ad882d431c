// SPDX-License-Identifier: Apache-2.0
// x * log(y).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY_DEST(xlogy_binary, Xlogy)

}  // namespace ckernel
