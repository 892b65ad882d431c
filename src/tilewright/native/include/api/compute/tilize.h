// SPDX-License-Identifier: Apache-2.0
// Row-major rows into tiles.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
ALWI void tilize_init(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    state_configure<Operand::SRCA, Operand::PACK>(icb, ocb, call_line);
    tw_copy_init(icb, 0, 0);
    tw::programs_unpackers(tw::UnpackLoop::Tilize, block, icb);  // the distance of rows
    tw::programs_maths(tw::MathLoop::Copy);
    tw::programs_packer(tw::PackLoop::Default);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void tilize_init_short_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t block, uint32_t ocb) {
    tw_reconfig_src_a_if_different(old_icb, new_icb);
    tilize_init(new_icb, block, ocb);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
    tw_tilize_block(icb, block, ocb, input_tile_index, output_tile_index);
}

ALWI void tilize_uninit(uint32_t icb, uint32_t ocb) { tw_unpack_restored(icb); }

// The same in fewer instructions on a card.
template <bool is_fp32_dest_acc_en = false>
ALWI void fast_tilize_init(uint32_t icb, uint32_t full_dim, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    tilize_init(icb, full_dim, ocb, call_line);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void fast_tilize_init_skip_remap(
    uint32_t icb, uint32_t full_dim, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    tilize_init(icb, full_dim, ocb, call_line);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    reconfig_data_format(icb, icb);
    tilize_init(icb, full_dim, ocb);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    fast_tilize_init_with_dt(icb, full_dim, ocb);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void fast_tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
    tilize_block(icb, block, ocb, input_tile_index, output_tile_index);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t full_dim) {
    tilize_uninit(icb, ocb);
}

// Rows tilized straight into the reduction (pooling): unpack_tilizeA_B_block reads, reduce_tile_math consumes.
template <bool neginf_srcA = true, bool zero_srcA_reduce = false, bool is_fp32_dest_acc_en = false>
inline void tilizeA_B_reduce_init(
    uint32_t icb0, uint32_t icb1_scaler, uint32_t block, uint32_t call_line = __builtin_LINE()) {
    state_configure(icb0, icb1_scaler, call_line);
    llk_unpack_tilizeA_B_init<neginf_srcA, true, false, zero_srcA_reduce>(icb0, icb1_scaler, block);
    tw::programs_maths(tw::MathLoop::Reduce, tw::kAnyDetail);
}

template <
    bool neginf_srcA = true,
    std::uint32_t reload_srcB = true,
    bool zero_srcA = false,
    bool zero_srcA_reduce = false>
inline void unpack_tilizeA_B_block(uint32_t icb0, uint32_t icb1, uint32_t block, uint32_t tile_idx_b) {
    static_assert(!zero_srcA, "tilewright does not simulate unpack_tilizeA_B_block with zero_srcA (dot products)");
    tw_unpack_tilize_a_b(icb0, icb1, block, tile_idx_b);
}

inline void unpack_tilizeA_B_uninit(uint32_t icb) { tw_unpack_restored(icb); }

}  // namespace ckernel

#include "tw/older/tilize.h"
