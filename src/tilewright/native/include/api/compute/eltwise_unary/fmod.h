// SPDX-License-Identifier: Apache-2.0
// C's fmod by one divisor, which the init call takes together with its reciprocal.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void fmod_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::Fmod, idst); }
ALWI void fmod_tile_init(uint32_t param0, uint32_t param1) { tw_sfpu_set_constants(param0, param1); }

// Older spellings.

inline void fmod_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
    fmod_tile_init(param0, param1);
    fmod_tile(idst);
}

}  // namespace ckernel
