// SPDX-License-Identifier: Apache-2.0
// Changing the data type of a tile in DST; the template arguments are DataFormat values.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, bool is_fp32_dest_acc_en = false>
ALWI void typecast_tile(uint32_t idst) {
    tw_sfpu_typecast(idst, IN_DTYPE, OUT_DTYPE);
}
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init() {
    sfpu_call::init();
}

// Older spellings.

inline void typecast_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
