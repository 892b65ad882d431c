// SPDX-License-Identifier: Apache-2.0
// Arithmetic of a tile with one number, given as float32 bits (or as an integer).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

enum { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };

#define TW_SCALAR(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_unary_tile(uint32_t idst, uint32_t param1) { \
        sfpu_call::unary(tw::SfpuUnary::op, idst, param1); \
    }
TW_SCALAR(add, AddScalar)
TW_SCALAR(sub, SubScalar)
TW_SCALAR(mul, MulScalar)
TW_SCALAR(div, DivScalar)  // the parameter is the divisor's reciprocal
TW_SCALAR(rsub, RsubScalar)
#undef TW_SCALAR

ALWI void add_unary_tile_int32(uint32_t idst, uint32_t param1) {
    sfpu_call::unary(tw::SfpuUnary::AddScalarInt, idst, param1);
}
ALWI void sub_unary_tile_int32(uint32_t idst, uint32_t param1) {
    sfpu_call::unary(tw::SfpuUnary::SubScalarInt, idst, param1);
}
ALWI void binop_with_scalar_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
