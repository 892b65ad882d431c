// SPDX-License-Identifier: Apache-2.0
// Subtraction of a mean kept as two parts: an anchor, and what the anchor is too large by.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void sub_bcast_cols_compensated_init(
    std::uint32_t input_cb, std::uint32_t split_mean_cb, std::uint32_t call_line = __builtin_LINE()) {
    state_configure(input_cb, split_mean_cb, call_line);
    tw::programs_unpackers(tw::UnpackLoop::Other, 0, input_cb);
    tw::programs_maths(tw::MathLoop::Other);
}
ALWI void sub_bcast_cols_compensated(
    std::uint32_t input_cb,
    std::uint32_t split_mean_cb,
    std::uint32_t input_tile,
    std::uint32_t dst_tile,
    std::uint32_t tile_count) {
    for (std::uint32_t i = 0; i < tile_count; ++i) {
        tw_sub_columns_compensated(input_cb, split_mean_cb, input_tile + i, dst_tile + i);
    }
}

}  // namespace ckernel
