// SPDX-License-Identifier: Apache-2.0
// Uniform random numbers in [from, from + scale).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void rand_tile(uint32_t idst, uint32_t from, uint32_t scale) {
    sfpu_call::unary(tw::SfpuUnary::Rand, idst, from, scale);
}
ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream_id = 0) {
    tw_sfpu_seed(seed + stream_id * 0x9E3779B9U);  // one sequence per stream
}

}  // namespace ckernel
