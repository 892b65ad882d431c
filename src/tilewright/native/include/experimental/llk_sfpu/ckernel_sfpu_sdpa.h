// SPDX-License-Identifier: Apache-2.0
// Attention's vector-unit programs. Statistics of a row live in column 0, so only the vectors with the even columns of
// a face are worked on: every second one.
#pragma once

#include "tw/llk/sfpu_programs.h"

namespace ckernel::sfpu {

namespace first_column {

constexpr int VECTORS = 4;  // of a face
constexpr int STEP = 2;

}  // namespace first_column

template <bool is_fp32_dest_acc_en = false>
inline void calculate_recip_first_column() {
    for (int i = 0; i < first_column::VECTORS; i++) {
        const sfpi::vFloat in = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = for_dest<is_fp32_dest_acc_en>(sfpu_reciprocal_iter<2>(in));
        sfpi::dst_reg += first_column::STEP;
    }
}

template <bool approximate = false, std::uint16_t scale_bf16 = 0x3F80, bool is_fp32_dest_acc_en = false>
inline void calculate_exponential_first_column() {
    for (int i = 0; i < first_column::VECTORS; i++) {
        const sfpi::vFloat in = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = _ckernel_sfpu_exp_accurate_<true, is_fp32_dest_acc_en>(in, scale_bf16);
        sfpi::dst_reg += first_column::STEP;
    }
}

// Two partial softmaxes become one. Tiles: the maxima of the first and the second, the new maximum, the sum of the
// first, the sum of the second (in the place of the new maximum where there are only four tiles). The maxima become
// the factors that rescale what goes with them, the first sum the new sum.
template <bool is_fp32_dest_acc_en = false, bool reuse_cur_max_tile = false>
inline void calculate_fused_max_sub_exp_add_tile(int scale_bf16) {
    static_assert(!reuse_cur_max_tile || is_fp32_dest_acc_en, "four tiles are enough only with a 32-bit DST");
    constexpr int tile = 32;
    constexpr int first_max = 0, second_max = tile, new_max = 2 * tile, first_sum = 3 * tile;
    constexpr int second_sum = reuse_cur_max_tile ? new_max : 4 * tile;
    for (int i = 0; i < first_column::VECTORS; i++) {
        const sfpi::vFloat max1 = sfpi::dst_reg[first_max], max2 = sfpi::dst_reg[second_max];
        const sfpi::vFloat sum1 = sfpi::dst_reg[first_sum], sum2 = sfpi::dst_reg[second_sum];
        sfpi::vFloat larger = max1;
        v_if(max1 < max2) { larger = max2; }
        v_endif;
        sfpi::dst_reg[new_max] = larger;
        const auto factor = [&](const sfpi::vFloat& maximum) {
            return _ckernel_sfpu_exp_accurate_<true, is_fp32_dest_acc_en>(maximum - larger, scale_bf16);
        };
        const sfpi::vFloat factor1 = factor(max1), factor2 = factor(max2);
        sfpi::dst_reg[first_max] = factor1;
        sfpi::dst_reg[second_max] = factor2;
        sfpi::vFloat part2 = factor2 * sum2;
        if constexpr (!reuse_cur_max_tile) {  // through DST, which rounds it
            sfpi::dst_reg[second_sum] = part2;
            part2 = sfpi::dst_reg[second_sum];
        }
        sfpi::dst_reg[first_sum] = factor1 * sum1;
        const sfpi::vFloat part1 = sfpi::dst_reg[first_sum];
        sfpi::dst_reg[first_sum] = part2 + part1;
        sfpi::dst_reg += first_column::STEP;
    }
}

// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.
template <bool is_fp32_dest_acc_en = false>
inline void calculate_softplus_first_column(
    std::uint32_t beta_bits, std::uint32_t beta_reciprocal_bits, std::uint32_t threshold_bits) {
    const sfpi::vFloat beta = std::bit_cast<float>(beta_bits);
    const sfpi::vFloat beta_reciprocal = std::bit_cast<float>(beta_reciprocal_bits);
    const sfpi::vFloat threshold = std::bit_cast<float>(threshold_bits);
    for (int i = 0; i < first_column::VECTORS; i++) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        const sfpi::vFloat scaled = x * beta;
        sfpi::vFloat result = x;
        v_if(scaled <= threshold) {
            result = beta_reciprocal *
                     sfpi::lane_function(tw::LaneFunction::Log1p, sfpi::lane_function(tw::LaneFunction::Exp, scaled));
        }
        v_endif;
        sfpi::dst_reg[0] = for_dest<is_fp32_dest_acc_en>(result);
        sfpi::dst_reg += first_column::STEP;
    }
}

}  // namespace ckernel::sfpu
