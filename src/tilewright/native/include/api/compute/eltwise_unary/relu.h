// SPDX-License-Identifier: Apache-2.0
// ReLU and its bounded and leaky forms; thresholds are float32 bits, or integers for the integer forms.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void relu_tile_init() { sfpu_call::init(); }
ALWI void relu_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::ReluMin, idst, 0); }
TW_SFPU_UNARY_1(relu_min, ReluMin)
TW_SFPU_UNARY_1(relu_max, ReluMax)
ALWI void relu_max_tile_pack(uint32_t idst, uint32_t param0) { PACK((relu_max_tile(idst, param0))); }
ALWI void relu_max_tile_init_pack() { PACK((sfpu_call::init())); }

ALWI void relu_tile_int32(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::MaxScalarInt, idst, 0); }
ALWI void relu_min_tile_int32(uint32_t idst, uint32_t param0) {
    sfpu_call::unary(tw::SfpuUnary::MaxScalarInt, idst, param0);
}
ALWI void relu_min_tile_uint32(uint32_t idst, uint32_t param0) {
    sfpu_call::unary(tw::SfpuUnary::MaxScalarUint, idst, param0);
}
ALWI void relu_min_tile_uint16(uint32_t idst, uint32_t param0) { relu_min_tile_uint32(idst, param0); }
ALWI void relu_max_tile_int32(uint32_t idst, uint32_t param0) {
    sfpu_call::unary(tw::SfpuUnary::ReluMaxInt, idst, param0);
}
ALWI void relu_max_tile_uint32(uint32_t idst, uint32_t param0) {
    sfpu_call::unary(tw::SfpuUnary::MinScalarUint, idst, param0);
}
ALWI void relu_max_tile_uint16(uint32_t idst, uint32_t param0) { relu_max_tile_uint32(idst, param0); }

ALWI void leaky_relu_tile(uint32_t idst, uint32_t slope = 0) { sfpu_call::unary(tw::SfpuUnary::Prelu, idst, slope); }
ALWI void leaky_relu_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
