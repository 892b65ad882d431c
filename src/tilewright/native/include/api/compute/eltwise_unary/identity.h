// SPDX-License-Identifier: Apache-2.0
// A tile rewritten as it is.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(identity, Identity)
ALWI void identity_tile_uint32(uint32_t idst) { tw_sfpu_copy(idst, idst, 0); }

}  // namespace ckernel
