// SPDX-License-Identifier: Apache-2.0
// Tiles into row-major rows, by the packer.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool narrow_row = false,
    std::uint32_t row_num_datums = TILE_C_DIM,
    bool dense = false,
    bool configure_remap = true,
    bool is_fp32_dest_acc_en = false>
ALWI void pack_untilize_dest_init(uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    state_configure<Operand::PACK>(ocb, call_line);
    tw_reconfig_pack(ocb);
    tw::programs_packer(tw::PackLoop::Untilize);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void pack_untilize_init(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    state_configure<Operand::SRCA, Operand::PACK>(icb, ocb, call_line);
    tw_copy_init(icb, 0, 0);
    tw::programs_maths(tw::MathLoop::Copy);
    tw_reconfig_pack(ocb);
    tw::programs_packer(tw::PackLoop::Untilize);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    pack_untilize_init<block_ct_dim, full_ct_dim>(icb, ocb, call_line);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0) {
    tw_pack_untilize_block(icb, block_ct_dim, block_rt_dim, ocb, full_ct_dim, block_c_index);
}

// What DST holds, rows written row_num_datums elements wide when narrow_row.
template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool diagonal = false,
    bool narrow_row = false,
    std::uint32_t row_num_datums = TILE_C_DIM,
    uint32_t tile_dst_ct_offset = 0,
    bool dense = false>
ALWI void pack_untilize_dest(
    uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0, uint32_t tile_dst_rt_offset = 0) {
    const uint32_t first_dst = tile_dst_rt_offset + tile_dst_ct_offset;
    if constexpr (diagonal || dense) {
        tw_not_modelled("pack_untilize_dest with diagonal or dense");
    } else if constexpr (narrow_row) {
        if (block_c_index != 0) {
            tw_not_modelled("pack_untilize_dest with narrow_row and a block_c_index");
        }
        tw_pack_untilize_dest_narrow(ocb, block_ct_dim, block_rt_dim, full_ct_dim, row_num_datums, first_dst);
    } else {
        constexpr uint32_t as_the_cb = 0;
        tw_pack_untilize_dest(
            ocb, block_ct_dim, block_rt_dim, full_ct_dim, block_c_index, as_the_cb, as_the_cb, first_dst);
    }
}

template <bool is_fp32_dest_acc_en = false>
ALWI void pack_untilize_uninit(uint32_t ocb) {
    tw_reconfig_pack(ocb);
    tw::programs_packer(tw::PackLoop::Default);
}

}  // namespace ckernel

#include "tw/older/pack_untilize.h"
