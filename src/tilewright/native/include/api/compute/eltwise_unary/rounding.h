// SPDX-License-Identifier: Apache-2.0
// Rounding to whole numbers, to decimals, and at random to bfloat16.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void rounding_op_tile_init() { sfpu_call::init(); }
ALWI void ceil_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::Ceil, idst); }
ALWI void floor_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::Floor, idst); }
ALWI void trunc_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::Trunc, idst); }
ALWI void round_tile(uint32_t idst, int32_t decimals) {
    sfpu_call::unary(tw::SfpuUnary::Round, idst, static_cast<uint32_t>(decimals));
}
ALWI void stochastic_round_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::StochasticRound, idst); }
ALWI void frac_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::Frac, idst); }

// Older spellings.

ALWI void ceil_tile_float32(uint32_t idst) { ceil_tile(idst); }
ALWI void floor_tile_float32(uint32_t idst) { floor_tile(idst); }
ALWI void trunc_tile_float32(uint32_t idst) { trunc_tile(idst); }
ALWI void frac_tile_float32(uint32_t idst) { frac_tile(idst); }

}  // namespace ckernel
