// SPDX-License-Identifier: Apache-2.0
// Top-k by a bitonic network: values in the tiles idst and idst + 1, their indices two tiles further.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

enum class TopkTieOrder : std::uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
    return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

namespace detail {
template <bool stable_sort, bool fused, bool rank_stamped, TopkTieOrder tie_order>
ALWI std::uint32_t topk_checked_tie_order(const char* what) {
    static_assert(!stable_sort || tie_order != TopkTieOrder::Unset, "a stable top-k needs a tie_order");
    if constexpr (fused || rank_stamped) {
        tw_not_modelled(what);
    }
    return stable_sort ? static_cast<std::uint32_t>(tie_order) : 0;
}
}  // namespace detail

// idir: 0 the largest first, 1 the smallest.
template <
    bool stable_sort = false,
    bool is_fp32_dest_acc_en = false,
    bool fused = false,
    bool rank_stamped = false,
    TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_local_sort(
    uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0, int i_end_step = 0, int i_start_step = 0) {
    std::uint32_t ties = detail::topk_checked_tie_order<stable_sort, fused, rank_stamped, tie_order>(
        "topk_local_sort with fused or rank-stamped keys");
    tw_sfpu_topk_local_sort(
        idst, static_cast<uint32_t>(idir), i_end_phase, i_start_phase, i_end_step, i_start_step, ties);
}
template <
    bool idir = false,
    bool stable_sort = false,
    bool is_fp32_dest_acc_en = false,
    bool fused = false,
    bool rank_stamped = false,
    TopkTieOrder tie_order = TopkTieOrder::Unset,
    std::uint32_t tag_bits = 16>
ALWI void topk_merge(uint32_t idst, int m_iter, int k) {
    std::uint32_t ties = detail::topk_checked_tie_order<stable_sort, fused, rank_stamped, tie_order>(
        "topk_merge with fused or rank-stamped keys");
    tw_sfpu_topk_merge(idst, m_iter, k, idir, ties);
}
template <
    bool stable_sort = false,
    bool is_fp32_dest_acc_en = false,
    bool fused = false,
    bool rank_stamped = false,
    TopkTieOrder tie_order = TopkTieOrder::Unset>
ALWI void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second) {
    std::uint32_t ties = detail::topk_checked_tie_order<stable_sort, fused, rank_stamped, tie_order>(
        "topk_rebuild with fused or rank-stamped keys");
    tw_sfpu_topk_rebuild(idst, idir, m_iter, k, logk, skip_second, ties);
}
template <bool fused = false, bool rank_stamped = false, std::uint32_t tag_bits = 16>
ALWI void topk_tile_init() { sfpu_call::init(); }
template <bool is_fp32_dest_acc_en = false>
ALWI void topk_canonicalize_negzero_values(uint32_t idst) {
    tw_sfpu_topk_canonicalize_zeros(idst);
}

// UInt16 data are whole numbers in DST here, so getting them ready for the packer means dropping the upper half.
ALWI void topk_uint16_prepare_value_tile_for_pack(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::BitwiseAnd, idst, 0xffff);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void topk_uint16_move_dest_tile_to_pack_half(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::BitwiseAnd, idst, 0xffff);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void topk_finalize_uint16_indices(std::uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::BitwiseAnd, idst, 0xffff);
}

// --- not modelled: keys that carry the index or a rank in their low bits ---
template <bool largest>
ALWI void topk_fuse_tile(uint32_t) {
    tw_not_modelled("topk_fuse_tile");
}
template <bool largest>
ALWI void topk_defuse_tile(uint32_t, uint32_t) {
    tw_not_modelled("topk_defuse_tile");
}
template <bool largest, std::uint32_t tag_bits = 16>
ALWI void topk_stamp_local_positions(std::uint32_t) {
    tw_not_modelled("topk_stamp_local_positions");
}
template <bool largest, std::uint32_t tag_bits = 16>
ALWI void topk_stamp_tile_rank_range(uint32_t, uint32_t, uint32_t) {
    tw_not_modelled("topk_stamp_tile_rank_range");
}
template <std::uint32_t tag_bits = 16, bool is_fp32_dest_acc_en = false>
ALWI void topk_strip_rank_tags(std::uint32_t) {
    tw_not_modelled("topk_strip_rank_tags");
}

}  // namespace ckernel
