// SPDX-License-Identifier: Apache-2.0
// Gated activation of idst0 (gate) and idst1 (up). Blackhole only, as on a card.
#pragma once

#include "tw/sfpu_calls.h"

#ifdef ARCH_BLACKHOLE
namespace ckernel {

ALWI void situ_glu_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, sfpu_call::Faces vector_mode = VectorMode::RC) {
    sfpu_call::binary_on(tw::SfpuBinary::SituGlu, idst0, idst1, odst, vector_mode);
}
ALWI void situ_glu_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
#endif
