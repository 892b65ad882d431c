// SPDX-License-Identifier: Apache-2.0
// Activations with a bend: hard sigmoid, soft sign, CELU, soft and hard shrink.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY(hardsigmoid, Hardsigmoid)
ALWI void hardsigmoid_tile_pack(uint32_t idst) { PACK((hardsigmoid_tile(idst))); }
ALWI void hardsigmoid_tile_init_pack() { PACK((sfpu_call::init())); }

TW_SFPU_UNARY(softsign, Softsign)
TW_SFPU_UNARY_DEST_2(celu, Celu)  // alpha, 1/alpha
TW_SFPU_UNARY_1(softshrink, Softshrink)
TW_SFPU_UNARY_1(hardshrink, Hardshrink)

}  // namespace ckernel
