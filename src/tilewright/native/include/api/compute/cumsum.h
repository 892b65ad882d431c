// SPDX-License-Identifier: Apache-2.0
// Running sums down the columns; a tile that is not the first goes on from the one before.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void cumsum_tile(uint32_t idst, bool first = true) { tw_sfpu_cumsum(idst, first); }
ALWI void cumsum_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
