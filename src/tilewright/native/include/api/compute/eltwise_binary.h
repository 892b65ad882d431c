// SPDX-License-Identifier: Apache-2.0
// Sum, difference and product of two tiles.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool full_init, EltwiseBinaryType eltwise_binary_type>
inline void binary_tiles_init(
    std::uint32_t icb0, std::uint32_t icb1, bool acc_to_dest = false, std::uint32_t call_line = __builtin_LINE()) {
    state_configure(icb0, icb1, call_line);
    llk_math_eltwise_binary_init<eltwise_binary_type, BroadcastType::NONE>(icb0, icb1, acc_to_dest);
    if constexpr (full_init) {
        llk_unpack_AB_init<BroadcastType::NONE>(icb0, icb1);
    }
}

namespace detail {

template <EltwiseBinaryType eltwise_binary_type>
inline void binary_tiles(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, std::uint32_t idst) {
    // The multiplier always adds to DST, which a release leaves at zero.
    constexpr std::uint32_t accumulate = eltwise_binary_type == EltwiseBinaryType::ELWMUL ? 1 : tw::kAsInit;
    tw_binary_tiles(
        tw::code(eltwise_binary_type), tw::code(BroadcastType::NONE), icb0, icb1, itile0, itile1, idst, accumulate);
}

template <EltwiseBinaryType eltwise_binary_type>
inline void binary_block(
    std::uint32_t icb0,
    std::uint32_t icb1,
    std::uint32_t start_itile0,
    std::uint32_t start_itile1,
    std::uint32_t start_idst,
    std::uint32_t ntiles) {
    for (std::uint32_t i = 0; i < ntiles; ++i) {
        binary_tiles<eltwise_binary_type>(icb0, icb1, start_itile0 + i, start_itile1 + i, start_idst + i);
    }
}

template <EltwiseBinaryType eltwise_binary_type, EltwiseBinaryReuseDestType reuse_dest>
inline void binary_reuse_dest_init(std::uint32_t icb0, std::uint32_t call_line) {
    static_assert(
        reuse_dest != EltwiseBinaryReuseDestType::NONE,
        "reuse_dest is DEST_TO_SRCA or DEST_TO_SRCB; for two CBs call add_init, sub_init or mul_init");
    state_configure(icb0, call_line);
    llk_math_eltwise_binary_init<eltwise_binary_type, BroadcastType::NONE, MathFidelity::LoFi, reuse_dest>(icb0, icb0);
    tw::programs_unpackers(tw::UnpackLoop::ReuseDest, tw::code(reuse_dest), icb0);
}

template <
    EltwiseBinaryType eltwise_binary_type,
    EltwiseBinaryReuseDestType reuse_dest,
    bool is_fp32_dest_acc_en = false>
inline void binary_reuse_dest_tiles(std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t dst_tile_index) {
    tw_binary_reuse_dest(
        tw::code(eltwise_binary_type),
        tw::code(BroadcastType::NONE),
        tw::code(reuse_dest),
        in_cb_id,
        in_tile_index,
        dst_tile_index);
}

}  // namespace detail

// Those with reuse_dest: the tile in DST is one operand and is replaced by the result.
#define TW_BINARY_CALLS(op, OP, accumulates) \
    ALWI void op##_init( \
        std::uint32_t icb0, \
        std::uint32_t icb1, \
        bool acc_to_dest = accumulates, \
        std::uint32_t call_line = __builtin_LINE()) { \
        binary_tiles_init<true, EltwiseBinaryType::OP>(icb0, icb1, acc_to_dest, call_line); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void op##_tiles( \
        std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, std::uint32_t idst) { \
        detail::binary_tiles<EltwiseBinaryType::OP>(icb0, icb1, itile0, itile1, idst); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void op##_block( \
        std::uint32_t icb0, \
        std::uint32_t icb1, \
        std::uint32_t start_itile0, \
        std::uint32_t start_itile1, \
        std::uint32_t start_idst, \
        std::uint32_t ntiles) { \
        detail::binary_block<EltwiseBinaryType::OP>(icb0, icb1, start_itile0, start_itile1, start_idst, ntiles); \
    } \
    template <EltwiseBinaryReuseDestType reuse_dest> \
    ALWI void op##_reuse_dest_init(std::uint32_t icb, std::uint32_t call_line = __builtin_LINE()) { \
        detail::binary_reuse_dest_init<EltwiseBinaryType::OP, reuse_dest>(icb, call_line); \
    } \
    template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = false> \
    ALWI void op##_reuse_dest_tiles( \
        std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t dst_tile_index) { \
        detail::binary_reuse_dest_tiles<EltwiseBinaryType::OP, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index); \
    }
TW_BINARY_CALLS(add, ELWADD, false)
TW_BINARY_CALLS(sub, ELWSUB, false)
TW_BINARY_CALLS(mul, ELWMUL, true)
#undef TW_BINARY_CALLS

}  // namespace ckernel

#include "tw/older/eltwise_binary.h"
