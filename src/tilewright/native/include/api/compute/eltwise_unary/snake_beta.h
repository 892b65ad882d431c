// SPDX-License-Identifier: Apache-2.0
// Snake: x + sin(alpha x)^2 / beta.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format, bool is_fp32_dest_acc_en = false>
ALWI void snake_beta_tile(uint32_t idst_x, uint32_t idst_alpha, uint32_t idst_beta, uint32_t idst_out) {
    static_assert(sfpu_call::is_float_format(data_format), "snake_beta_tile: format must be Float32 or Float16_b");
    sfpu_call::ternary(tw::SfpuTernary::SnakeBeta, idst_x, idst_alpha, idst_beta, idst_out);
}
ALWI void snake_beta_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
