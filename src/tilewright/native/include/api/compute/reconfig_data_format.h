// SPDX-License-Identifier: Apache-2.0
// Changing the formats of operands and output in the middle of a kernel. The forms that name the CB in use before act
// only when the new one differs from it.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tw_reconfig_src_a(reverse ? icb1_new_operand : icb0_new_operand);
    tw_reconfig_src_b(reverse ? icb0_new_operand : icb1_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format(
    const uint32_t icb0_old_operand,
    const uint32_t icb0_new_operand,
    const uint32_t icb1_old_operand,
    const uint32_t icb1_new_operand) {
    if constexpr (src_order == SrcOrder::Reverse) {
        tw_reconfig_src_a_if_different(icb1_old_operand, icb1_new_operand);
        tw_reconfig_src_b_if_different(icb0_old_operand, icb0_new_operand);
    } else {
        tw_reconfig_src_a_if_different(icb0_old_operand, icb0_new_operand);
        tw_reconfig_src_b_if_different(icb1_old_operand, icb1_new_operand);
    }
}

ALWI void reconfig_data_format_srca(const uint32_t srca_new_operand) { tw_reconfig_src_a(srca_new_operand); }
ALWI void reconfig_data_format_srca(const uint32_t srca_old_operand, const uint32_t srca_new_operand) {
    tw_reconfig_src_a_if_different(srca_old_operand, srca_new_operand);
}

ALWI void reconfig_data_format_srcb(const uint32_t srcb_new_operand) { tw_reconfig_src_b(srcb_new_operand); }
ALWI void reconfig_data_format_srcb(const uint32_t srcb_old_operand, const uint32_t srcb_new_operand) {
    tw_reconfig_src_b_if_different(srcb_old_operand, srcb_new_operand);
}

// With the tile shape too, which makes the card's call unconditional.
ALWI void reconfig_full_operand_srca(const uint32_t srca_new_operand) {
    tw_reconfig_src_a(srca_new_operand);
    tw_unpack_shape_a(srca_new_operand);
}
ALWI void reconfig_full_operand_srca(const uint32_t, const uint32_t srca_new_operand) {
    reconfig_full_operand_srca(srca_new_operand);
}

ALWI void reconfig_full_operand_srcb(const uint32_t srcb_new_operand) {
    tw_reconfig_src_b(srcb_new_operand);
    tw_unpack_shape_b(srcb_new_operand);
}
ALWI void reconfig_full_operand_srcb(const uint32_t, const uint32_t srcb_new_operand) {
    reconfig_full_operand_srcb(srcb_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_full_operand(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    reconfig_full_operand_srca(reverse ? icb1_new_operand : icb0_new_operand);
    reconfig_full_operand_srcb(reverse ? icb0_new_operand : icb1_new_operand);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_full_operand(
    const uint32_t, const uint32_t icb0_new_operand, const uint32_t, const uint32_t icb1_new_operand) {
    reconfig_full_operand<src_order>(icb0_new_operand, icb1_new_operand);
}

// 8-bit integers stay as they are on a card; the engine keeps no such state.
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format_skip_int8(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand) {
    reconfig_data_format<src_order>(icb0_new_operand, icb1_new_operand);
}
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format_skip_int8(
    const uint32_t icb0_old_operand,
    const uint32_t icb0_new_operand,
    const uint32_t icb1_old_operand,
    const uint32_t icb1_new_operand) {
    reconfig_data_format<src_order>(icb0_old_operand, icb0_new_operand, icb1_old_operand, icb1_new_operand);
}
ALWI void reconfig_data_format_srca_skip_int8(const uint32_t srca_new_operand) { tw_reconfig_src_a(srca_new_operand); }
ALWI void reconfig_data_format_srca_skip_int8(const uint32_t srca_old_operand, const uint32_t srca_new_operand) {
    tw_reconfig_src_a_if_different(srca_old_operand, srca_new_operand);
}
ALWI void reconfig_data_format_srcb_skip_int8(const uint32_t srcb_new_operand) { tw_reconfig_src_b(srcb_new_operand); }
ALWI void reconfig_data_format_srcb_skip_int8(const uint32_t srcb_old_operand, const uint32_t srcb_new_operand) {
    tw_reconfig_src_b_if_different(srcb_old_operand, srcb_new_operand);
}

// The tile shape alone. The engine takes the shape of a tile from the CB of each call; a checked run compares the two.
ALWI void reconfig_tile_shape_srca(const uint32_t srca_new_operand) { tw_unpack_shape_a(srca_new_operand); }
ALWI void reconfig_tile_shape_srca(const uint32_t, const uint32_t srca_new_operand) {
    tw_unpack_shape_a(srca_new_operand);
}
ALWI void reconfig_tile_shape_srcb(const uint32_t srcb_new_operand) { tw_unpack_shape_b(srcb_new_operand); }
ALWI void reconfig_tile_shape_srcb(const uint32_t, const uint32_t srcb_new_operand) {
    tw_unpack_shape_b(srcb_new_operand);
}
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_tile_shape(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tw_unpack_shape_a(reverse ? icb1_new_operand : icb0_new_operand);
    tw_unpack_shape_b(reverse ? icb0_new_operand : icb1_new_operand);
}
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_tile_shape(
    const uint32_t, const uint32_t icb0_new_operand, const uint32_t, const uint32_t icb1_new_operand) {
    reconfig_tile_shape<src_order>(icb0_new_operand, icb1_new_operand);
}

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(const uint32_t new_cb_id) {
    tw_reconfig_pack(new_cb_id);
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(const uint32_t old_cb_id, const uint32_t new_cb_id) {
    tw_reconfig_pack_if_different(old_cb_id, new_cb_id);
}

}  // namespace ckernel

#include "tw/older/reconfig_data_format.h"
