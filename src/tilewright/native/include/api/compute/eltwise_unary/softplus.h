// SPDX-License-Identifier: Apache-2.0
// log(1 + exp(beta x)) / beta, and x itself where beta x is above the threshold.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
ALWI void softplus_tile(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
    sfpu_call::unary(tw::SfpuUnary::Softplus, idst, beta, beta_reciprocal, threshold);
}
ALWI void softplus_tile_init() { sfpu_call::init(); }
template <bool is_fp32_dest_acc_en = false>
ALWI void softplus_tile_pack(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold) {
    PACK((softplus_tile(idst, beta, beta_reciprocal, threshold)));
}
ALWI void softplus_tile_init_pack() { PACK((sfpu_call::init())); }

}  // namespace ckernel
