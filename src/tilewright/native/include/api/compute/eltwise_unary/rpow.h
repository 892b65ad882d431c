// SPDX-License-Identifier: Apache-2.0
// A number to the power of the tile.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void rpow_tile_init() { sfpu_call::init(tw::SfpuUnary::Rpow); }
template <bool is_fp32_dest_acc_en = false>
ALWI void rpow_tile(uint32_t idst, uint32_t base_val, sfpu_call::Faces vector_mode = VectorMode::RC) {
    sfpu_call::unary_on(tw::SfpuUnary::Rpow, idst, vector_mode, base_val);
}

}  // namespace ckernel
