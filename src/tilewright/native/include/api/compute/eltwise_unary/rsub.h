// SPDX-License-Identifier: Apache-2.0
// A number minus the tile.
#pragma once

#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST_1(rsub, RsubScalar)
ALWI void rsub_unary_int32_tile(uint32_t idst, uint32_t scalar) {
    sfpu_call::unary(tw::SfpuUnary::RsubScalarInt, idst, scalar);
}
ALWI void rsub_unary_int32_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
