// SPDX-License-Identifier: Apache-2.0
// The angle of the point (idst1, idst0).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY_DEST_BOTH(atan2_binary, Atan2)

}  // namespace ckernel
