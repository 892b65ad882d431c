// SPDX-License-Identifier: Apache-2.0
// matmul_block without the programmed loop of a card: the same result.
#pragma once

#include "api/compute/matmul.h"

namespace ckernel {

ALWI void matmul_set_in1_column_stride(uint32_t, uint32_t stride_tiles) { tw_matmul_b_column_stride(stride_tiles); }

ALWI void mm_no_mop_init_short(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    const bool transpose = false,
    uint32_t ct_dim = 1,
    uint32_t rt_dim = 1,
    uint32_t kt_dim = 1) {
    tw_matmul_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
    tw::programs_maths(tw::MathLoop::Matmul);
}
ALWI void mm_no_mop_reinit_short(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    const bool transpose = false,
    uint32_t ct_dim = 1,
    uint32_t rt_dim = 1,
    uint32_t kt_dim = 1) {
    mm_no_mop_init_short(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
ALWI void matmul_block_no_mop(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    uint32_t in0_tile_index,
    uint32_t in1_tile_index,
    uint32_t idst,
    const bool transpose,
    uint32_t ct_dim,
    uint32_t rt_dim,
    uint32_t kt_dim) {
    matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim, rt_dim, kt_dim);
}

// With another fidelity than the kernel's. The calls set it for themselves and put the kernel's back.
template <MathFidelity math_fidelity>
ALWI void mm_no_mop_init_short_fidelity(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    const bool transpose = false,
    uint32_t ct_dim = 1,
    uint32_t rt_dim = 1,
    uint32_t kt_dim = 1) {
    mm_no_mop_init_short(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
template <MathFidelity math_fidelity>
ALWI void mm_no_mop_reinit_short_fidelity(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    const bool transpose = false,
    uint32_t ct_dim = 1,
    uint32_t rt_dim = 1,
    uint32_t kt_dim = 1) {
    mm_no_mop_init_short(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
template <MathFidelity math_fidelity>
ALWI void matmul_block_no_mop_fidelity(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    uint32_t in0_tile_index,
    uint32_t in1_tile_index,
    uint32_t idst,
    const bool transpose,
    uint32_t ct_dim,
    uint32_t rt_dim,
    uint32_t kt_dim) {
    tw_matmul_fidelity(tw::fidelity_phases(math_fidelity));
    matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim, rt_dim, kt_dim);
    tw_matmul_fidelity(0);
}

}  // namespace ckernel
