// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/matmul.h.
#pragma once

#include "api/compute/matmul.h"

namespace ckernel {

inline void mm_init(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t out_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup<SrcOrder::Reverse>(in0_cb_id, in1_cb_id, out_cb_id);
    matmul_init(in0_cb_id, in1_cb_id, transpose, call_line);
}
inline void mm_init_short(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t call_line = __builtin_LINE()) {
    matmul_init(in0_cb_id, in1_cb_id, transpose, call_line);
}
inline void mm_init_short_with_dt(
    std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t old_srca_cb_id, const std::uint32_t transpose = 0) {
    tw_reconfig_src_a_if_different(old_srca_cb_id, in1_cb_id);
    matmul_init(in0_cb_id, in1_cb_id, transpose);
}

inline void mm_block_init(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t out_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t ct_dim = 1,
    std::uint32_t rt_dim = 1,
    std::uint32_t kt_dim = 1,
    std::uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup<SrcOrder::Reverse>(in0_cb_id, in1_cb_id, out_cb_id);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, call_line);
}
inline void mm_block_init_short(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t ct_dim = 1,
    std::uint32_t rt_dim = 1,
    std::uint32_t kt_dim = 1,
    std::uint32_t call_line = __builtin_LINE()) {
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, call_line);
}
inline void mm_block_init_short_with_dt(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t old_in1_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t ct_dim = 1,
    std::uint32_t rt_dim = 1,
    std::uint32_t kt_dim = 1) {
    tw_reconfig_src_a_if_different(old_in1_cb_id, in1_cb_id);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
inline void mm_block_init_short_with_both_dt(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t old_in0_cb_id,
    std::uint32_t old_in1_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t ct_dim = 1,
    std::uint32_t rt_dim = 1,
    std::uint32_t kt_dim = 1) {
    tw_reconfig_src_a_if_different(old_in1_cb_id, in1_cb_id);
    tw_reconfig_src_b_if_different(old_in0_cb_id, in0_cb_id);
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}

// The transpose flag at the call repeated the init's.
inline void matmul_tiles(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t in0_tile_index,
    std::uint32_t in1_tile_index,
    std::uint32_t idst,
    const std::uint32_t) {
    matmul_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst);
}

}  // namespace ckernel
