// SPDX-License-Identifier: Apache-2.0
// Sum, difference and product with the second operand's column, row or single element spread over the tile.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

// One operand spread, into DST.
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = false>
ALWI void unary_bcast_init(uint32_t icb) {
    state_configure(icb, __builtin_LINE());
    tw::programs_unpackers(tw::UnpackLoop::UnaryBroadcast, tw::code(bcast_type), icb);
    tw::programs_maths(tw::MathLoop::UnaryBroadcast, tw::code(bcast_type));
}
template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = false>
ALWI void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index) {
    tw_unary_broadcast(tw::code(bcast_type), icb, in_tile_index, dst_tile_index);
}
template <BroadcastType bcast_type>
ALWI void unary_bcast_uninit(uint32_t icb) {}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) {
    state_configure(icb0, icb1, call_line);
    llk_math_eltwise_binary_init<tBcastOp, tBcastDim>(icb0, icb1);
    llk_unpack_AB_init<tBcastDim>(icb0, icb1);
}

// bcast_row_idx: the row of the second operand to spread, with BroadcastType::ROW.
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim, bool is_fp32_dest_acc_en = false>
ALWI void any_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) {
    constexpr uint32_t op = tw::code(tBcastOp);
    constexpr uint32_t accumulate = tBcastOp == EltwiseBinaryType::ELWMUL ? 1 : tw::kAsInit;
    if (tBcastDim == BroadcastType::ROW && bcast_row_idx != 0) {
        tw_binary_tiles_broadcast_row(op, icb0, icb1, itile0, itile1, idst, accumulate, bcast_row_idx);
    } else {
        tw_binary_tiles(op, tw::code(tBcastDim), icb0, icb1, itile0, itile1, idst, accumulate);
    }
}

#define TW_BROADCAST_CALLS(op, OP) \
    template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = false> \
    ALWI void op##_tiles_bcast( \
        uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) { \
        any_tiles_bcast<EltwiseBinaryType::OP, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx); \
    } \
    ALWI void op##_bcast_cols_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) { \
        bcast_init<EltwiseBinaryType::OP, BroadcastType::COL>(icb0, icb1, call_line); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void op##_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) { \
        any_tiles_bcast<EltwiseBinaryType::OP, BroadcastType::COL>(icb0, icb1, itile0, itile1, idst); \
    } \
    ALWI void op##_bcast_rows_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) { \
        bcast_init<EltwiseBinaryType::OP, BroadcastType::ROW>(icb0, icb1, call_line); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void op##_tiles_bcast_rows( \
        uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0) { \
        any_tiles_bcast<EltwiseBinaryType::OP, BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx); \
    } \
    ALWI void op##_bcast_scalar_init(uint32_t icb0, uint32_t icb1, uint32_t call_line = __builtin_LINE()) { \
        bcast_init<EltwiseBinaryType::OP, BroadcastType::SCALAR>(icb0, icb1, call_line); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void op##_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) { \
        any_tiles_bcast<EltwiseBinaryType::OP, BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst); \
    }
TW_BROADCAST_CALLS(add, ELWADD)
TW_BROADCAST_CALLS(sub, ELWSUB)
TW_BROADCAST_CALLS(mul, ELWMUL)
#undef TW_BROADCAST_CALLS

}  // namespace ckernel

#include "tw/older/bcast.h"
