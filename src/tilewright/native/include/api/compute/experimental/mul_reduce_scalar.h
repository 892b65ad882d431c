// SPDX-License-Identifier: Apache-2.0
// Products of tiles, summed to one number: the first element of DST tile 0. The scaler applies twice, once for each of the
// two poolings of a card.
#pragma once

#include "api/compute/eltwise_binary.h"

namespace ckernel {

ALWI void mul_reduce_scalar_init(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t call_line = __builtin_LINE()) {
    mul_init(icb0, icb1, true, call_line);
}

namespace detail {

// The reduction takes the place of the loops that the init programmed, and packing leaves out what lies beside its result.
ALWI void reduce_dest(std::uint32_t num_tiles, float scaler, const char* call) {
    tw_reduce_dest(num_tiles, __builtin_bit_cast(std::uint32_t, scaler), call);
    PACK((tw_pack_reduce_mask(tw::code(ReduceDim::REDUCE_SCALAR))));
}

}  // namespace detail

// DST must be zero where the products go: tiles from 0 on, or tile 0 alone where they are summed there (Blackhole).
template <PoolType reduce_type = PoolType::SUM, bool is_fp32_dest_acc_en = false, bool accumulate_in_one_tile = false>
ALWI void mul_reduce_scalar_tile(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t, std::uint32_t num_tiles, float scaler = 1.0f) {
    static_assert(reduce_type == PoolType::SUM, "mul_reduce_scalar_tile: reduce_type must be SUM");
#ifndef ARCH_BLACKHOLE
    static_assert(!accumulate_in_one_tile, "mul_reduce_scalar_tile: only Blackhole sums products in one tile");
#endif
    for (std::uint32_t i = 0; i < num_tiles; ++i) {
        mul_tiles(icb0, icb1, i, i, accumulate_in_one_tile ? 0 : i);
    }
    detail::reduce_dest(accumulate_in_one_tile ? 1 : num_tiles, scaler, "mul_reduce_scalar_tile");
}

ALWI void mul_reduce_scalar_uninit() { PACK((tw_pack_reduce_mask_clear())); }

}  // namespace ckernel
