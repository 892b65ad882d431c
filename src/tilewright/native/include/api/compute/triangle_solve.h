// SPDX-License-Identifier: Apache-2.0
// L X = RHS by forward substitution; L is unit lower triangular, a tile at the front of cb_l.
#pragma once

#include "api/compute/cb_api.h"
#include "tw/sfpu_calls.h"

namespace ckernel {

template <
    DataFormat L_FORMAT = DataFormat::Float32,
    bool L_NEGATED = false,
    bool L_CACHED = true,
    bool is_fp32_dest_acc_en = true>
ALWI void triangle_solve_tile(uint32_t cb_l, uint32_t l_tile_idx, uint32_t idst_in, uint32_t idst_out) {
    static_assert(
        L_FORMAT == DataFormat::Float32 || L_FORMAT == DataFormat::Float16_b,
        "triangle_solve_tile: L_FORMAT must be Float32 or Float16_b");
    tw_sfpu_triangle_solve(cb_l, l_tile_idx, idst_in, idst_out, L_FORMAT == DataFormat::Float16_b, L_NEGATED);
}
ALWI void triangle_solve_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
