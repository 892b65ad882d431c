// SPDX-License-Identifier: Apache-2.0
// Products of tiles as matrices, added to DST. The first operand goes to SrcB, the second to SrcA.
#pragma once

#include "api/compute/common.h"

#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif

namespace ckernel {

ALWI void matmul_block_init(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t ct_dim = 1,
    std::uint32_t rt_dim = 1,
    std::uint32_t kt_dim = 1,
    std::uint32_t call_line = __builtin_LINE()) {
    state_configure(in1_cb_id, in0_cb_id, call_line);
    tw_matmul_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
    tw::programs_maths(tw::MathLoop::Matmul);
}

ALWI void matmul_init(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    const std::uint32_t transpose = 0,
    std::uint32_t call_line = __builtin_LINE()) {
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, 1, 1, 1, call_line);
}

ALWI void mm_uninit(std::uint32_t, std::uint32_t) {}

ALWI void matmul_tiles(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t in0_tile_index,
    std::uint32_t in1_tile_index,
    std::uint32_t idst) {
    tw_matmul_tiles(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, tw::kAsInit);
}

// One step of the inner dimension for rt_dim x ct_dim tiles of DST; kt_dim is the distance between rows of in0. The
// init decides about the transpose, the argument here changes nothing on a card either.
ALWI void matmul_block(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t in0_tile_index,
    std::uint32_t in1_tile_index,
    std::uint32_t idst,
    const std::uint32_t transpose,
    std::uint32_t ct_dim,
    std::uint32_t rt_dim,
    std::uint32_t kt_dim,
    std::uint32_t call_line = __builtin_LINE()) {
    state_configure(in1_cb_id, in0_cb_id, call_line);
    tw_matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, tw::kAsInit, ct_dim, rt_dim, kt_dim);
}

}  // namespace ckernel

#include "tw/older/matmul.h"
