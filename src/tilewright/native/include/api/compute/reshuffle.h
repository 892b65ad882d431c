// SPDX-License-Identifier: Apache-2.0
// Row r of the tile added to row indices[r] of the tile after it; the indices are bytes in L1.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void reshuffle_rows_tile(uint32_t idst, uint32_t idx_addr) { tw_sfpu_reshuffle_rows(idst, idx_addr); }
ALWI void reshuffle_rows_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
