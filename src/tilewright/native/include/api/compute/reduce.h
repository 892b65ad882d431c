// SPDX-License-Identifier: Apache-2.0
// Sums, averages and maxima over rows, columns or a whole tile.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = false>
ALWI void reduce_init(
    std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t ocb, std::uint32_t call_line = __builtin_LINE()) {
    // A sum along the row is a product with the scaler on SrcA, so the two operands change places.
    if constexpr (reduce_dim == ReduceDim::REDUCE_ROW && reduce_type != PoolType::MAX) {
        state_configure(icb_scaler, icb, ocb, call_line);
    } else {
        state_configure(icb, icb_scaler, ocb, call_line);
    }
    llk_unpack_AB_reduce_init<reduce_type, reduce_dim>(icb, icb_scaler);
    llk_math_reduce_init<reduce_type, reduce_dim>(icb, icb_scaler);
    llk_pack_reduce_mask_config<reduce_dim>(ocb);
}

ALWI void reduce_uninit(std::uint32_t icb = 0) { llk_pack_reduce_mask_clear(); }

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = false>
ALWI void reduce_tile(
    std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t itile, std::uint32_t itile_scaler, std::uint32_t idst) {
    tw_reduce_tile(tw::code(reduce_type), tw::code(reduce_dim), icb, icb_scaler, itile, itile_scaler, idst);
}

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = false>
ALWI void reduce_block(
    std::uint32_t icb,
    std::uint32_t icb_scaler,
    std::uint32_t start_itile,
    std::uint32_t itile_scaler,
    std::uint32_t start_idst,
    std::uint32_t ntiles) {
    for (std::uint32_t i = 0; i < ntiles; ++i) {
        reduce_tile<reduce_type, reduce_dim>(icb, icb_scaler, start_itile + i, itile_scaler, start_idst + i);
    }
}

// The maths alone, on what unpack_tilizeA_B_block has read.
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = false>
ALWI void reduce_tile_math(std::uint32_t idst, std::uint32_t num_faces = 4) {
    tw_reduce_tile_math(tw::code(reduce_type), tw::code(reduce_dim), idst, num_faces);
}
template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = false>
ALWI void reduce_tile_math(std::uint32_t idst, const ckernel::TensorShape& tensor_shape) {
    reduce_tile_math<reduce_type, reduce_dim>(idst, tensor_shape.total_num_faces());
}

}  // namespace ckernel

#include "tw/older/reduce.h"
