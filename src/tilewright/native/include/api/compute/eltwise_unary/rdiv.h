// SPDX-License-Identifier: Apache-2.0
// A number divided by the tile.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void rdiv_tile_init() { sfpu_call::init(); }
template <RoundingMode rounding_mode = RoundingMode::None, bool is_fp32_dest_acc_en = false>
ALWI void rdiv_tile(uint32_t dst_index, uint32_t value, sfpu_call::Faces vector_mode = VectorMode::RC) {
    sfpu_call::unary_on(tw::SfpuUnary::Rdiv, dst_index, vector_mode, value, static_cast<uint32_t>(rounding_mode));
}

}  // namespace ckernel
