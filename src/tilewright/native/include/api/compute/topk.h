// SPDX-License-Identifier: Apache-2.0
// Top-k by a bitonic network: values in the tiles idst and idst + 1, their indices two tiles further.
#pragma once

#include "api/compute/compute_kernel_api.h"
#include "tw/sfpu_calls.h"

namespace ckernel {

enum class TopkTieOrder : std::uint8_t { Unset, Ascending, Descending };

constexpr TopkTieOrder topk_tie_order_from_global_direction(bool descending) {
    return descending ? TopkTieOrder::Descending : TopkTieOrder::Ascending;
}

namespace detail {
template <bool stable_sort, bool fused, bool rank_stamped, TopkTieOrder tie_order>
constexpr std::uint32_t topk_tie_order() {
    static_assert(!stable_sort || tie_order != TopkTieOrder::Unset, "a stable top-k needs a tie_order");
    static_assert(int(stable_sort) + int(fused) + int(rank_stamped) <= 1, "a top-k has one way to order ties");
    constexpr std::uint32_t fused_keys = 3;
    return fused ? fused_keys : stable_sort ? static_cast<std::uint32_t>(tie_order) : 0;
}
}  // namespace detail

// idir: 0 the largest first, 1 the smallest.
template <
    bool stable_sort = false,
    bool is_fp32_dest_acc_en = false,
    bool fused = false,
    bool rank_stamped = false,
    TopkTieOrder tie_order = TopkTieOrder::Unset>
inline void topk_local_sort(
    uint32_t idst, int idir, int i_end_phase, int i_start_phase = 0, int i_end_step = 0, int i_start_step = 0) {
    constexpr std::uint32_t ties = detail::topk_tie_order<stable_sort, fused, rank_stamped, tie_order>();
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
inline void topk_merge(uint32_t idst, int m_iter, int k) {
    constexpr std::uint32_t ties = detail::topk_tie_order<stable_sort, fused, rank_stamped, tie_order>();
    if constexpr (rank_stamped) {
        tw_sfpu_topk_stamp_runs(idst, m_iter, k, !idir, tag_bits);
    }
    tw_sfpu_topk_merge(idst, m_iter, k, idir, ties);
}
template <
    bool stable_sort = false,
    bool is_fp32_dest_acc_en = false,
    bool fused = false,
    bool rank_stamped = false,
    TopkTieOrder tie_order = TopkTieOrder::Unset>
inline void topk_rebuild(uint32_t idst, bool idir, int m_iter, int k, int logk, int skip_second) {
    constexpr std::uint32_t ties = detail::topk_tie_order<stable_sort, fused, rank_stamped, tie_order>();
    tw_sfpu_topk_rebuild(idst, idir, m_iter, k, logk, skip_second, ties);
}
template <bool fused = false, bool rank_stamped = false, std::uint32_t tag_bits = 16>
inline void topk_tile_init() {
    sfpu_call::init();
}
template <bool is_fp32_dest_acc_en = false>
inline void topk_canonicalize_negzero_values(uint32_t idst) {
    tw_sfpu_topk_canonicalize_zeros(idst);
}

// UInt16 data are whole numbers in DST here, so getting them ready for the packer means dropping the upper half.
template <bool is_fp32_dest_acc_en = false>
inline void topk_uint16_move_dest_tile_to_pack_half(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::BitwiseAnd, idst, 0xffff);
}
template <bool is_fp32_dest_acc_en = false>
inline void topk_finalize_uint16_indices(std::uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::BitwiseAnd, idst, 0xffff);
}

// The host defines TOPK_UINT16_FP32_DEST where the values are UInt16 in a 32-bit DST; floats stay as they are.
inline void topk_uint16_prepare_value_tile_for_pack([[maybe_unused]] std::uint32_t idst) {
#if defined(TOPK_UINT16_FP32_DEST) && TOPK_UINT16_FP32_DEST
    topk_uint16_move_dest_tile_to_pack_half(idst);
#endif
}

// Keys that carry the index or a rank in their low bits.
template <bool largest>
inline void topk_fuse_tile(uint32_t idst) {
    tw_sfpu_topk_fuse(idst, largest);
}
template <bool largest>
inline void topk_defuse_tile(uint32_t idst, uint32_t num_tiles) {
    tw_sfpu_topk_defuse(idst, num_tiles, largest);
}
template <bool largest, std::uint32_t tag_bits = 16>
inline void topk_stamp_tile_rank_range(uint32_t, uint32_t dst_tile_index, uint32_t rank_base) {
    tw_sfpu_topk_stamp_tile(dst_tile_index, rank_base, largest, tag_bits);
}
template <bool largest, std::uint32_t tag_bits = 16>
inline void topk_stamp_local_positions(std::uint32_t idst) {
    topk_stamp_tile_rank_range<largest, tag_bits>(idst, 0, 0);
    topk_stamp_tile_rank_range<largest, tag_bits>(idst, 1, 32);
}
template <std::uint32_t tag_bits = 16, bool is_fp32_dest_acc_en = false>
inline void topk_strip_rank_tags(std::uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::BitwiseAnd, idst, ~((1u << tag_bits) - 1u));
}

}  // namespace ckernel
