// SPDX-License-Identifier: Apache-2.0
// GELU, its tanh form, and its derivative.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = false>
ALWI void gelu_tile_init() {
    sfpu_call::init();
}
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = false>
ALWI void gelu_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Gelu, idst);
}
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = false>
ALWI void gelu_tile_init_pack() {
    PACK((sfpu_call::init()));
}
template <bool fast_and_approx = true, bool is_fp32_dest_acc_en = false>
ALWI void gelu_tile_pack(uint32_t idst) {
    PACK((sfpu_call::unary(tw::SfpuUnary::Gelu, idst)));
}

template <bool fast = false>
ALWI void gelu_tanh_tile_init() {
    sfpu_call::init();
}
template <bool fast = false>
ALWI void gelu_tanh_tile_init_pack() {
    PACK((sfpu_call::init()));
}
template <bool is_fp32_dest_acc_en = false, bool fast = false>
ALWI void gelu_tanh_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::GeluTanh, idst);
}
template <bool is_fp32_dest_acc_en = false, bool fast = false>
ALWI void gelu_tanh_tile_pack(uint32_t idst) {
    PACK((sfpu_call::unary(tw::SfpuUnary::GeluTanh, idst)));
}

template <bool fast_and_approx = false>
ALWI void gelu_derivative_tile_init() {
    sfpu_call::init();
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void gelu_derivative_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::GeluDerivative, idst);
}

}  // namespace ckernel
