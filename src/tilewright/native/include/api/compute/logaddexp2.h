// SPDX-License-Identifier: Apache-2.0
// log2(2^a + 2^b).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY_DEST_BOTH(logaddexp2_binary, Logaddexp2)

}  // namespace ckernel
