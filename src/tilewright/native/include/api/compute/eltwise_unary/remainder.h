// SPDX-License-Identifier: Apache-2.0
// Remainder with the divisor's sign; the init call takes the divisor and its reciprocal.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void remainder_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::Remainder, idst); }
ALWI void remainder_tile_init(uint32_t param0, uint32_t param1) { tw_sfpu_set_constants(param0, param1); }
ALWI void remainder_tile_uint32(uint32_t idst, uint32_t param0) {
    sfpu_call::unary(tw::SfpuUnary::RemainderScalarUint, idst, param0);
}
ALWI void remainder_tile_uint32_init() { sfpu_call::init(); }

// Older spellings.

inline void remainder_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
    remainder_tile_init(param0, param1);
    remainder_tile(idst);
}

}  // namespace ckernel
