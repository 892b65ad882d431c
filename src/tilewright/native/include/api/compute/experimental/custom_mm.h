// SPDX-License-Identifier: Apache-2.0
// A whole product of one row of tiles in0 (1 x kt_dim, of up to 8 rows each) and in1 (kt_dim x ct_dim), always in LoFi; only
// Blackhole has it.
#pragma once

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"

namespace ckernel {

#ifdef ARCH_BLACKHOLE

template <bool transpose = false, bool split_acc = false, bool dense_packing = false, bool clear_src = true>
ALWI void custom_mm_block_init_short(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t,
    std::uint32_t ct_dim = 1,
    std::uint32_t call_line = __builtin_LINE()) {
    static_assert(!dense_packing, "tilewright does not simulate tiles that lie densely in DST");
    if (unpack_tile_r_dim[in0_cb_id] > 8) {
        tw_not_modelled("custom_mm_block of tiles with more than 8 rows");
    }
    matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, 1, 1, call_line);
}

template <
    bool transpose = false,
    bool split_acc = false,
    bool dense_packing = false,
    bool fp32_dest_acc_en = false,
    bool clear_src = true>
ALWI void custom_mm_block_init(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t out_cb_id,
    std::uint32_t ct_dim = 1,
    std::uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup<SrcOrder::Reverse>(in0_cb_id, in1_cb_id, out_cb_id);
    custom_mm_block_init_short<transpose, split_acc, dense_packing, clear_src>(
        in0_cb_id, in1_cb_id, out_cb_id, ct_dim, call_line);
}

// Sums of several calls are complete with the one that finalizes; here each call's are.
template <bool finalize = true, bool read_transposed = false>
ALWI void custom_mm_block(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t in0_tile_index,
    std::uint32_t in1_tile_index,
    std::uint32_t dst_index,
    std::uint32_t kt_dim,
    std::uint32_t ct_dim = 1) {
    tw_matmul_fidelity(1);
    tw_matmul_b_column_stride(read_transposed ? kt_dim : 1);
    for (std::uint32_t k = 0; k < kt_dim; ++k) {
        const std::uint32_t in1_tile = in1_tile_index + (read_transposed ? k : k * ct_dim);
        tw_matmul_block(in0_cb_id, in1_cb_id, in0_tile_index + k, in1_tile, dst_index, tw::kAsInit, ct_dim, 1, kt_dim);
    }
    tw_matmul_b_column_stride(1);
    tw_matmul_fidelity(0);
}

// Its two halves.
template <bool read_transposed = false>
ALWI void custom_mm_block_unpack(
    std::uint32_t in0_cb_id,
    std::uint32_t in1_cb_id,
    std::uint32_t in0_tile_index,
    std::uint32_t in1_tile_index,
    std::uint32_t kt_dim,
    std::uint32_t ct_dim = 1) {
    static_assert(!read_transposed, "custom_mm_block_unpack of transposed tiles is not modelled: custom_mm_block is");
    for (std::uint32_t k = 0; k < kt_dim; ++k) {
        tw_unpack_product(in0_cb_id, in1_cb_id, in0_tile_index + k, in1_tile_index + k * ct_dim, ct_dim, 1, kt_dim);
    }
}
template <bool finalize = true>
ALWI void custom_mm_block_math(
    std::uint32_t, std::uint32_t, std::uint32_t dst_index, std::uint32_t kt_dim, std::uint32_t ct_dim = 1) {
    tw_matmul_fidelity(1);
    for (std::uint32_t k = 0; k < kt_dim; ++k) {
        tw_matmul_block(tw::kNoCb, tw::kNoCb, 0, 0, dst_index, tw::kAsInit, ct_dim, 1, 1);
    }
    tw_matmul_fidelity(0);
}

template <bool dense_packing = false>
ALWI void custom_mm_block_uninit() {}

#endif

}  // namespace ckernel
