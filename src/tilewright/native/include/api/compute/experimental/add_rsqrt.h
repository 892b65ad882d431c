// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x * input_scale + addend), which Blackhole has in one call. Always as exact as rsqrt_tile.
#pragma once

#include "api/compute/compute_kernel_api.h"
#include "tw/llk/sfpu_programs.h"

namespace ckernel {

#ifdef ARCH_BLACKHOLE

namespace sfpu {

template <bool approximate, int iterations, bool is_fp32_dest_acc_en, std::uint32_t input_scale>
inline void calculate_add_rsqrt(std::uint32_t addend) {
    const sfpi::vFloat scale = __builtin_bit_cast(float, input_scale), offset = __builtin_bit_cast(float, addend);
    for (int i = 0; i < iterations; i++) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        const sfpi::vFloat root = sfpi::lane_function(tw::LaneFunction::Rsqrt, x * scale + offset);
        sfpi::dst_reg[0] = for_dest<is_fp32_dest_acc_en>(root);
        sfpi::dst_reg++;
    }
}

}  // namespace sfpu

ALWI void add_rsqrt_tile_init() { MATH((tw::vector_program_init())); }

template <
    bool fast_and_approx = false,
    VectorMode vec_mode = VectorMode::RC,
    int ITERATIONS = 8,
    bool typed_bf16_store = false,
    std::uint32_t input_scale = 0x3f800000u>
ALWI void add_rsqrt_tile(std::uint32_t idst, std::uint32_t addend) {
    static_assert(!typed_bf16_store, "tilewright stores what add_rsqrt_tile gives as DST's width says, no other way");
    MATH((SFPU_UNARY_CALL(
        DST_SYNC_MODE,
        DST_ACCUM_MODE,
        calculate_add_rsqrt,
        (false, ITERATIONS, DST_ACCUM_MODE, input_scale),
        idst,
        vec_mode,
        addend)));
}

#endif

}  // namespace ckernel
