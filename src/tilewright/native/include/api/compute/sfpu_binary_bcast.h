// SPDX-License-Identifier: Apache-2.0
// A tile with the first column or row of another, in DST.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

#define TW_BROADCAST(name, op) \
    ALWI void sfpu_##name##_bcast_col_init() { sfpu_call::init(); } \
    ALWI void sfpu_##name##_bcast_row_init() { sfpu_call::init(); } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void sfpu_##name##_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) { \
        constexpr uint32_t column = static_cast<uint32_t>(tw::SfpuBroadcast::Column); \
        tw_sfpu_binary_broadcast( \
            static_cast<uint32_t>(tw::SfpuArithmetic::op), column, dst_data_idx, dst_col_vec_idx); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void sfpu_##name##_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) { \
        constexpr uint32_t row = static_cast<uint32_t>(tw::SfpuBroadcast::Row); \
        tw_sfpu_binary_broadcast(static_cast<uint32_t>(tw::SfpuArithmetic::op), row, dst_data_idx, dst_row_vec_idx); \
    }
TW_BROADCAST(add, Add)
TW_BROADCAST(sub, Sub)
TW_BROADCAST(mul, Mul)
#undef TW_BROADCAST

ALWI void sfpu_bcast_col_init() { sfpu_call::init(); }
ALWI void sfpu_bcast_row_init() { sfpu_call::init(); }
template <BroadcastType Dim>
inline void sfpu_bcast_init() {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "sfpu_bcast_init: Dim must be COL or ROW");
}
template <BroadcastType Dim, EltwiseBinaryType Op, bool is_fp32_dest_acc_en = false>
inline void sfpu_bcast(uint32_t dst_data_idx, uint32_t dst_bcast_idx) {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "sfpu_bcast: Dim must be COL or ROW");
    static_assert(
        Op == EltwiseBinaryType::ELWADD || Op == EltwiseBinaryType::ELWSUB || Op == EltwiseBinaryType::ELWMUL,
        "sfpu_bcast: Op must be ELWADD, ELWSUB or ELWMUL");
    constexpr tw::SfpuArithmetic op = Op == EltwiseBinaryType::ELWADD   ? tw::SfpuArithmetic::Add
                                      : Op == EltwiseBinaryType::ELWSUB ? tw::SfpuArithmetic::Sub
                                                                        : tw::SfpuArithmetic::Mul;
    constexpr tw::SfpuBroadcast along = Dim == BroadcastType::COL ? tw::SfpuBroadcast::Column : tw::SfpuBroadcast::Row;
    tw_sfpu_binary_broadcast(static_cast<uint32_t>(op), static_cast<uint32_t>(along), dst_data_idx, dst_bcast_idx);
}

// (data - mean) * inverse_std, mean and inverse_std in the first columns of their tiles.
ALWI void sfpu_normalize_bcast_col(uint32_t dst_data_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx) {
    tw_sfpu_normalize(dst_data_idx, 0, 0, dst_mean_col_idx, dst_inv_std_col_idx, 0);
}
ALWI void sfpu_normalize_bcast_col_two_tiles(
    uint32_t dst_data_idx, uint32_t dst_second_data_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx) {
    tw_sfpu_normalize(dst_data_idx, 0, 0, dst_mean_col_idx, dst_inv_std_col_idx, 0);
    tw_sfpu_normalize(dst_second_data_idx, 0, 0, dst_mean_col_idx, dst_inv_std_col_idx, 0);
}
ALWI void sfpu_residual_normalize_bcast_col(
    uint32_t dst_data_idx, uint32_t dst_residual_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx) {
    tw_sfpu_normalize(dst_data_idx, dst_residual_idx, 1, dst_mean_col_idx, dst_inv_std_col_idx, 0);
}
ALWI void sfpu_normalize_bcast_scalar_init() { sfpu_call::init(); }
ALWI void sfpu_normalize_bcast_scalar(
    uint32_t dst_data_idx, uint32_t dst_mean_scalar_idx, uint32_t dst_inv_std_scalar_idx) {
    tw_sfpu_normalize(dst_data_idx, 0, 0, dst_mean_scalar_idx, dst_inv_std_scalar_idx, 1);
}

}  // namespace ckernel
