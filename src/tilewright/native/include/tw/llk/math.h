// SPDX-License-Identifier: Apache-2.0
// The maths half of low-level calls that kernels and kernel libraries make directly (see tw/llk/unpack.h).
#pragma once

#include <cstdint>

#include "ckernel.h"
#include "llk_operands.h"
#include "tw/llk/codes.h"

// The unpack half of the same reconfig has set the format.
template <bool is_fp32_dest_acc_en = false, bool skip_int8 = false>
inline void llk_math_reconfig_data_format_srca(uint32_t) {}
template <bool is_fp32_dest_acc_en = false, bool skip_int8 = false>
inline void llk_math_reconfig_data_format_srca(uint32_t, uint32_t) {}
template <bool is_fp32_dest_acc_en = false, bool skip_int8 = false>
inline void llk_math_reconfig_data_format_srcb(uint32_t) {}
template <bool is_fp32_dest_acc_en = false, bool skip_int8 = false>
inline void llk_math_reconfig_data_format_srcb(uint32_t, uint32_t) {}
template <bool is_fp32_dest_acc_en = false, bool skip_int8 = false>
inline void llk_math_reconfig_data_format(uint32_t, uint32_t) {}
template <bool is_fp32_dest_acc_en = false, bool skip_int8 = false>
inline void llk_math_reconfig_data_format(uint32_t, uint32_t, uint32_t, uint32_t) {}
template <bool is_fp32_dest_acc_en = false>
inline void llk_math_hw_configure(uint32_t, uint32_t) {}
// How DST rows are numbered for the packer; the engine has no such numbering.
inline void llk_math_reconfig_remap(bool) {}

template <
    ckernel::EltwiseBinaryType eltwise_binary_type,
    ckernel::BroadcastType src_b_bcast_type,
    ckernel::MathFidelity math_fidelity = ckernel::MathFidelity::LoFi,
    ckernel::EltwiseBinaryReuseDestType binary_reuse_dest = ckernel::EltwiseBinaryReuseDestType::NONE>
inline void llk_math_eltwise_binary_init(uint32_t cb_a, uint32_t cb_b, uint32_t acc_to_dest = 0) {
    tw_binary_init(
        tw::code(eltwise_binary_type),
        tw::code(src_b_bcast_type),
        tw::code(binary_reuse_dest),
        cb_a,
        cb_b,
        acc_to_dest);
}

template <
    ckernel::PoolType type,
    ckernel::ReduceDim dim,
    bool is_fp32_dest_acc_en = false,
    ckernel::MathFidelity math_fidelity = ckernel::MathFidelity::LoFi>
inline void llk_math_reduce_init(uint32_t, uint32_t) {
    tw::programs_maths(tw::MathLoop::Reduce, tw::reduce_detail(tw::code(type), tw::code(dim)));
}
inline void llk_math_reduce_uninit(uint32_t = 0) {}

template <
    ckernel::DataCopyType type,
    bool is_fp32_dest_acc_en = false,
    ckernel::BroadcastType src_b_bcast_type = ckernel::BroadcastType::NONE,
    bool is_int_fpu_en = false,
    ckernel::PackMode pack_mode = ckernel::PackMode::Default>
inline void llk_math_eltwise_unary_datacopy_init(uint32_t) {
    constexpr bool plain = src_b_bcast_type == ckernel::BroadcastType::NONE;
    tw::programs_maths(plain ? tw::MathLoop::Copy : tw::MathLoop::UnaryBroadcast, tw::code(src_b_bcast_type));
}

// The unpack half (llk_unpack_AB_matmul_init) keeps what the engine needs.
template <ckernel::MathFidelity math_fidelity, int throttle_level = 0>
inline void llk_math_matmul_init(uint32_t, uint32_t, uint32_t = 0, uint32_t = 1, uint32_t = 1) {
    tw::programs_maths(tw::MathLoop::Matmul);
}

template <bool transpose_of_faces = true, bool is_32bit = false>
inline void llk_math_transpose_dest_init() {
    tw::programs_maths(tw::MathLoop::TransposeDest);
}

inline void llk_math_wait_for_dest_available() { tw_tile_regs_acquire(); }
template <bool is_fp32_dest_acc_en = false>
inline void llk_math_dest_section_done() {
    tw_tile_regs_commit();
}
// Start-up of the hand-over between maths and packer; the engine starts with it in order.
template <bool is_fp32_dest_acc_en = false>
inline void llk_math_pack_sync_init() {}
inline void llk_math_set_fp32_dest_acc(bool enable) { tw_set_fp32_dest(enable); }

// The maths half of operations whose operands the unpack thread has unpacked by a call of its own.
template <
    ckernel::EltwiseBinaryType eltwise_binary_type,
    ckernel::BroadcastType src_b_bcast_type,
    bool is_fp32_dest_acc_en = false,
    ckernel::MathFidelity math_fidelity = ckernel::MathFidelity::LoFi,
    ckernel::EltwiseBinaryReuseDestType binary_reuse_dest = ckernel::EltwiseBinaryReuseDestType::NONE>
inline void llk_math_eltwise_binary(uint32_t dst, bool = true) {
    constexpr uint32_t op = tw::code(eltwise_binary_type), broadcast = tw::code(src_b_bcast_type);
    if constexpr (binary_reuse_dest == ckernel::EltwiseBinaryReuseDestType::NONE) {
        tw_binary_tiles(op, broadcast, tw::kNoCb, tw::kNoCb, 0, 0, dst, tw::kAsInit);
    } else {
        tw_binary_reuse_dest(op, broadcast, tw::code(binary_reuse_dest), tw::kNoCb, 0, dst);
    }
}
template <
    ckernel::EltwiseBinaryType eltwise_binary_type,
    ckernel::BroadcastType src_b_bcast_type,
    bool is_fp32_dest_acc_en = false,
    ckernel::MathFidelity math_fidelity = ckernel::MathFidelity::LoFi,
    ckernel::EltwiseBinaryReuseDestType binary_reuse_dest = ckernel::EltwiseBinaryReuseDestType::NONE>
inline void llk_math_eltwise_binary(uint32_t, uint32_t, uint32_t dst, bool clear_fp32_dst_acc = true) {
    llk_math_eltwise_binary<
        eltwise_binary_type,
        src_b_bcast_type,
        is_fp32_dest_acc_en,
        math_fidelity,
        binary_reuse_dest>(dst, clear_fp32_dst_acc);
}
template <
    ckernel::DataCopyType type,
    bool is_fp32_dest_acc_en = false,
    ckernel::BroadcastType src_b_bcast_type = ckernel::BroadcastType::NONE,
    bool unpack_to_dest = false>
inline void llk_math_eltwise_unary_datacopy(uint32_t dst, uint32_t = 0) {
    if constexpr (src_b_bcast_type == ckernel::BroadcastType::NONE) {
        tw_copy_tile(tw::kNoCb, 0, dst);
    } else {
        tw_unary_broadcast(tw::code(src_b_bcast_type), tw::kNoCb, 0, dst);
    }
}
template <ckernel::MathFidelity math_fidelity, int throttle_level = 0>
inline void llk_math_matmul(uint32_t dst, uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    tw_matmul_block(tw::kNoCb, tw::kNoCb, 0, 0, dst, tw::kAsInit, ct_dim, rt_dim, 1);
}
template <
    ckernel::PoolType type,
    ckernel::ReduceDim dim,
    bool is_fp32_dest_acc_en = false,
    ckernel::MathFidelity math_fidelity = ckernel::MathFidelity::LoFi,
    bool is_int_fpu_en = false,
    bool enforce_fp32_accumulation = false>
inline void llk_math_reduce(uint32_t, uint32_t, uint32_t dst) {
    tw_reduce_tile(tw::code(type), tw::code(dim), tw::kNoCb, tw::kNoCb, 0, 0, dst);
}
