// SPDX-License-Identifier: Apache-2.0
// From a circular buffer into DST, as it is.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/sentinel/compute_kernel_sentinel.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
ALWI void copy_init(
    std::uint32_t cbid,
    std::uint32_t transpose = 0,
    std::uint32_t transpose_within_16x16_face = false,
    std::uint32_t call_line = __builtin_LINE()) {
    state_configure(cbid, call_line);
    tw_copy_init(cbid, transpose, transpose_within_16x16_face);
    tw::programs_maths(tw::MathLoop::Copy);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void copy_tile(std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t dst_tile_index) {
    tw_copy_tile(in_cb_id, in_tile_index, dst_tile_index);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void copy_block(
    std::uint32_t in_cb_id,
    std::uint32_t start_in_tile_index,
    std::uint32_t start_dst_tile_index,
    std::uint32_t ntiles) {
    for (std::uint32_t i = 0; i < ntiles; ++i) {
        tw_copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i);
    }
}

// Keeps a card's unpacker in step when nothing is read; there is nothing to keep in step here.
ALWI void dummy_unpack(std::uint32_t) {}

}  // namespace ckernel

#include "tw/older/tile_move_copy.h"
