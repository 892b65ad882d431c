// SPDX-License-Identifier: Apache-2.0
// Comparisons with zero and with one number: 1 where true, 0 elsewhere.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

// <relation>z_tile against zero, unary_<relation>_tile against the parameter; _int32 for integer tiles.
#define TW_COMPARE(relation, zero_op, scalar_op) \
    TW_SFPU_UNARY(relation##z, zero_op) \
    ALWI void relation##z_tile_int32(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::zero_op##Int, idst); } \
    TW_SFPU_UNARY_1(unary_##relation, scalar_op) \
    ALWI void unary_##relation##_tile_int32(uint32_t idst, uint32_t param0) { \
        sfpu_call::unary(tw::SfpuUnary::scalar_op##Int, idst, param0); \
    }
TW_COMPARE(eq, EqualZero, EqualScalar)
TW_COMPARE(ne, NotEqualZero, NotEqualScalar)
TW_COMPARE(lt, LessZero, LessScalar)
TW_COMPARE(gt, GreaterZero, GreaterScalar)
TW_COMPARE(le, LessEqualZero, LessEqualScalar)
TW_COMPARE(ge, GreaterEqualZero, GreaterEqualScalar)
#undef TW_COMPARE

ALWI void eqz_tile_uint16(uint32_t idst) { eqz_tile_int32(idst); }
ALWI void eqz_tile_uint32(uint32_t idst) { eqz_tile_int32(idst); }
ALWI void nez_tile_uint16(uint32_t idst) { nez_tile_int32(idst); }
ALWI void nez_tile_uint32(uint32_t idst) { nez_tile_int32(idst); }

}  // namespace ckernel
