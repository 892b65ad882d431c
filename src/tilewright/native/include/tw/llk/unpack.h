// SPDX-License-Identifier: Apache-2.0
// The unpack half of low-level calls that kernels and kernel libraries make directly.
//
// The engine keeps one format per source register for unpacker and maths together, and operands know the one they were
// unpacked with. So the unpack half of a reconfig does all of it, and the unpack half of most inits has nothing to do.
#pragma once

#include <cstdint>

#include "ckernel.h"
#include "llk_operands.h"
#include "llk_outputs.h"
#include "tw/llk/codes.h"

enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR };

template <bool is_fp32_dest_acc_en = false>
inline void llk_unpack_hw_configure(uint32_t src_a_cb, uint32_t src_b_cb) {
    tw_reconfig_src_a(src_a_cb);
    tw_reconfig_src_b(src_b_cb);
    tw_unpack_shape_a(src_a_cb);
    tw_unpack_shape_b(src_b_cb);
}
template <bool is_fp32_dest_acc_en = false>
inline void llk_unpack_hw_configure(uint32_t cb) {
    llk_unpack_hw_configure<is_fp32_dest_acc_en>(cb, cb);
}

template <
    bool is_fp32_dest_acc_en = false,
    p_dim_stride_target target = p_dim_stride_target::IGNORE,
    bool skip_int8 = false>
inline void llk_unpack_reconfig_data_format_srca(uint32_t new_cb) {
    tw_reconfig_src_a(new_cb);
    if constexpr (target != p_dim_stride_target::IGNORE) {
        tw_unpack_shape_a(new_cb);
    }
}
template <
    bool is_fp32_dest_acc_en = false,
    p_dim_stride_target target = p_dim_stride_target::IGNORE,
    bool skip_int8 = false>
inline void llk_unpack_reconfig_data_format_srca(uint32_t old_cb, uint32_t new_cb) {
    // Asking for the tile shape too makes the call unconditional.
    if constexpr (target == p_dim_stride_target::IGNORE) {
        tw_reconfig_src_a_if_different(old_cb, new_cb);
    } else {
        tw_reconfig_src_a(new_cb);
        tw_unpack_shape_a(new_cb);
    }
}
template <
    bool is_fp32_dest_acc_en = false,
    p_dim_stride_target target = p_dim_stride_target::IGNORE,
    bool skip_int8 = false>
inline void llk_unpack_reconfig_data_format_srcb(uint32_t new_cb) {
    tw_reconfig_src_b(new_cb);
    if constexpr (target != p_dim_stride_target::IGNORE) {
        tw_unpack_shape_b(new_cb);
    }
}
template <
    bool is_fp32_dest_acc_en = false,
    p_dim_stride_target target = p_dim_stride_target::IGNORE,
    bool skip_int8 = false>
inline void llk_unpack_reconfig_data_format_srcb(uint32_t old_cb, uint32_t new_cb) {
    if constexpr (target == p_dim_stride_target::IGNORE) {
        tw_reconfig_src_b_if_different(old_cb, new_cb);
    } else {
        tw_reconfig_src_b(new_cb);
        tw_unpack_shape_b(new_cb);
    }
}
template <
    bool is_fp32_dest_acc_en = false,
    p_dim_stride_target target = p_dim_stride_target::IGNORE,
    bool skip_int8 = false>
inline void llk_unpack_reconfig_data_format(uint32_t new_cb_a, uint32_t new_cb_b) {
    llk_unpack_reconfig_data_format_srca<is_fp32_dest_acc_en, target, skip_int8>(new_cb_a);
    llk_unpack_reconfig_data_format_srcb<is_fp32_dest_acc_en, target, skip_int8>(new_cb_b);
}
template <
    bool is_fp32_dest_acc_en = false,
    p_dim_stride_target target = p_dim_stride_target::IGNORE,
    bool skip_int8 = false>
inline void llk_unpack_reconfig_data_format(
    uint32_t old_cb_a, uint32_t new_cb_a, uint32_t old_cb_b, uint32_t new_cb_b) {
    llk_unpack_reconfig_data_format_srca<is_fp32_dest_acc_en, target, skip_int8>(old_cb_a, new_cb_a);
    llk_unpack_reconfig_data_format_srcb<is_fp32_dest_acc_en, target, skip_int8>(old_cb_b, new_cb_b);
}

// The engine takes the shape of a tile from the CB of each call; a checked run compares.
inline void llk_unpack_reconfig_tile_shape_srca(uint32_t new_cb) { tw_unpack_shape_a(new_cb); }
inline void llk_unpack_reconfig_tile_shape_srca(uint32_t, uint32_t new_cb) { tw_unpack_shape_a(new_cb); }
inline void llk_unpack_reconfig_tile_shape_srcb(uint32_t new_cb) { tw_unpack_shape_b(new_cb); }
inline void llk_unpack_reconfig_tile_shape_srcb(uint32_t, uint32_t new_cb) { tw_unpack_shape_b(new_cb); }

template <
    ckernel::BroadcastType BType = ckernel::BroadcastType::NONE,
    bool acc_to_dest = false,
    ckernel::EltwiseBinaryReuseDestType binary_reuse_dest = ckernel::EltwiseBinaryReuseDestType::NONE,
    bool unpack_to_dest = false>
inline void llk_unpack_A_init(uint32_t transpose_of_faces, uint32_t within_face_16x16_transpose, uint32_t cb) {
    if constexpr (
        BType == ckernel::BroadcastType::NONE && binary_reuse_dest == ckernel::EltwiseBinaryReuseDestType::NONE) {
        tw_copy_init(cb, transpose_of_faces, within_face_16x16_transpose);
    } else if constexpr (binary_reuse_dest != ckernel::EltwiseBinaryReuseDestType::NONE) {
        tw::programs_unpackers(tw::UnpackLoop::ReuseDest, tw::code(binary_reuse_dest), cb);
    } else {
        tw::programs_unpackers(tw::UnpackLoop::UnaryBroadcast, tw::code(BType), cb);
    }
}
template <ckernel::BroadcastType BType = ckernel::BroadcastType::NONE>
inline void llk_unpack_A_uninit() {}
inline void llk_unpack_dummy(uint32_t) {}
inline void llk_unpack_set_srcb_dummy_valid() {}
inline void llk_unpack_wait_for_dest_available() {}
template <bool is_fp32_dest_acc_en = false>
inline void llk_unpack_dest_section_done() {}

template <ckernel::BroadcastType BType = ckernel::BroadcastType::NONE>
inline void llk_unpack_AB_init(uint32_t cb_a, uint32_t, ckernel::Transpose transpose = ckernel::Transpose::None) {
    tw::programs_unpackers(tw::UnpackLoop::Binary, tw::code(BType), cb_a);
    if (transpose != ckernel::Transpose::None) {
        tw_not_modelled("llk_unpack_AB_init with a transposed operand");
    }
}
template <ckernel::PoolType pool_type, ckernel::ReduceDim reduce_dim>
inline void llk_unpack_AB_reduce_init(uint32_t cb, uint32_t) {
    constexpr auto detail = tw::reduce_detail(tw::code(pool_type), tw::code(reduce_dim));
    tw::programs_unpackers(tw::UnpackLoop::Reduce, detail, cb);
}

inline void llk_unpack_AB_matmul_init(
    uint32_t in0_cb_id,
    uint32_t in1_cb_id,
    uint32_t transpose = 0,
    uint32_t ct_dim = 1,
    uint32_t rt_dim = 1,
    uint32_t kt_dim = 1) {
    tw_matmul_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}

template <bool neginf_srcA = false, uint32_t reload_srcB = false, bool zero_srcA = false, bool zero_srcA_reduce = false>
inline void llk_unpack_tilizeA_B_init(uint32_t cb_a, uint32_t, uint32_t) {
    static_assert(!zero_srcA, "tilewright does not simulate llk_unpack_tilizeA_B_init with zero_srcA (dot products)");
    constexpr uint32_t fill = neginf_srcA ? 1 : zero_srcA_reduce ? 2 : 0;
    tw_unpack_tilize_a_b_init(fill, reload_srcB);
    tw::programs_unpackers(tw::UnpackLoop::TilizeReduce, 0, cb_a);
}

// The maths half takes what these unpack, in the same order.
namespace tw {
inline void unpack_pair(uint32_t cb_a, uint32_t tile_a, uint32_t cb_b, uint32_t tile_b) {
    const uint32_t pairs[] = {cb_a, tile_a, cb_b, tile_b};
    tw_unpack_tiles(pairs, 2, 0);
}
}  // namespace tw

template <
    ckernel::BroadcastType BType = ckernel::BroadcastType::NONE,
    bool acc_to_dest = false,
    ckernel::EltwiseBinaryReuseDestType binary_reuse_dest = ckernel::EltwiseBinaryReuseDestType::NONE,
    bool unpack_to_dest = false>
inline void llk_unpack_A(uint32_t cb, uint32_t tile, uint32_t = 0) {
    const uint32_t pair[] = {cb, tile};
    tw_unpack_tiles(pair, 1, 0);
}
template <ckernel::BroadcastType BType = ckernel::BroadcastType::NONE>
inline void llk_unpack_AB(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t bcast_row = 0) {
    if (bcast_row != 0) {
        tw_not_modelled("llk_unpack_AB with a row to broadcast other than the first");
    }
    tw::unpack_pair(cb_a, tile_a, cb_b, tile_b);
}
template <ckernel::PoolType pool_type, ckernel::ReduceDim reduce_dim>
inline void llk_unpack_AB_reduce(uint32_t cb, uint32_t cb_scaler, uint32_t tile, uint32_t tile_scaler) {
    tw::unpack_pair(cb, tile, cb_scaler, tile_scaler);
}
inline void llk_unpack_AB_matmul(
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t ct_dim = 1,
    uint32_t rt_dim = 1,
    uint32_t kt_dim = 1) {
    tw_unpack_product(cb_a, cb_b, tile_a, tile_b, ct_dim, rt_dim, kt_dim);
}

inline void llk_wait_tiles(uint32_t cb, uint32_t num_tiles) { tw_cb_wait_front(cb, num_tiles); }
inline void llk_pop_tiles(uint32_t cb, uint32_t num_tiles, uint32_t = 0) { tw_cb_pop_front(cb, num_tiles); }
