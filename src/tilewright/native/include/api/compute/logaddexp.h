// SPDX-License-Identifier: Apache-2.0
// log(exp(a) + exp(b)).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY_DEST_BOTH(logaddexp_binary, Logaddexp)

}  // namespace ckernel
