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

// Maths halves without their unpack half.
template <
    ckernel::EltwiseBinaryType eltwise_binary_type,
    ckernel::BroadcastType src_b_bcast_type,
    bool is_fp32_dest_acc_en = false,
    ckernel::MathFidelity math_fidelity = ckernel::MathFidelity::LoFi,
    ckernel::EltwiseBinaryReuseDestType binary_reuse_dest = ckernel::EltwiseBinaryReuseDestType::NONE,
    typename... Arguments>
inline void llk_math_eltwise_binary(Arguments...) {
    tw_not_modelled("llk_math_eltwise_binary");
}
template <
    ckernel::DataCopyType type,
    bool is_fp32_dest_acc_en = false,
    ckernel::BroadcastType src_b_bcast_type = ckernel::BroadcastType::NONE,
    bool unpack_to_dest = false>
inline void llk_math_eltwise_unary_datacopy(uint32_t, uint32_t = 0) {
    tw_not_modelled("llk_math_eltwise_unary_datacopy");
}
template <ckernel::MathFidelity math_fidelity, int throttle_level = 0>
inline void llk_math_matmul(uint32_t, uint32_t = 1, uint32_t = 1) {
    tw_not_modelled("llk_math_matmul");
}
