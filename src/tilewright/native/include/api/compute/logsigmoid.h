// SPDX-License-Identifier: Apache-2.0
// log(sigmoid(x)); the second tile holds exp(-x).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(logsigmoid, Logsigmoid)

}  // namespace ckernel
