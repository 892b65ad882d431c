// SPDX-License-Identifier: Apache-2.0
// Sums inside an Int32 tile. Each leaves partial sums: four rows, or the even columns of the left half.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void sfpu_sum_int_init() { sfpu_call::init(); }
ALWI void sfpu_sum_int_col(uint32_t idst) { tw_sfpu_sum_int(idst, 0); }
ALWI void sfpu_sum_int_row(uint32_t idst) { tw_sfpu_sum_int(idst, 1); }
// Always adds the tile after idst, over whole faces, whatever the other arguments say.
ALWI void sfpu_add_int(uint32_t idst, uint32_t dst_offset = 2, int32_t iterations = 8) {
    (void)dst_offset, (void)iterations;
    tw_sfpu_add_int_next(idst);
}

}  // namespace ckernel
