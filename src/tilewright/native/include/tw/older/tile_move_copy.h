// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/tile_move_copy.h.
#pragma once

#include "api/compute/tile_move_copy.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
inline void copy_tile_init(std::uint32_t cbid, std::uint32_t call_line = __builtin_LINE()) {
    copy_init<is_fp32_dest_acc_en>(cbid, 0, false, call_line);
}

template <bool is_fp32_dest_acc_en = false>
inline void copy_tile_to_dst_init_short(
    std::uint32_t cbid,
    std::uint32_t transpose = 0,
    std::uint32_t transpose_within_16x16_face = false,
    std::uint32_t call_line = __builtin_LINE()) {
    copy_init<is_fp32_dest_acc_en>(cbid, transpose, transpose_within_16x16_face, call_line);
}

template <bool is_fp32_dest_acc_en = false>
inline void copy_tile_to_dst_init_short_with_dt(
    std::uint32_t old_cbid, std::uint32_t new_cbid, std::uint32_t transpose = 0) {
    reconfig_data_format_srca(old_cbid, new_cbid);
    copy_init<is_fp32_dest_acc_en>(new_cbid, transpose);
}

template <bool is_fp32_dest_acc_en = false>
inline void copy_block_matmul_partials(
    std::uint32_t in_cb_id,
    std::uint32_t start_in_tile_index,
    std::uint32_t start_dst_tile_index,
    std::uint32_t ntiles) {
    copy_block<is_fp32_dest_acc_en>(in_cb_id, start_in_tile_index, start_dst_tile_index, ntiles);
}

}  // namespace ckernel
