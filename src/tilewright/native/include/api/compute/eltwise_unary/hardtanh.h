// SPDX-License-Identifier: Apache-2.0
// Values cut to [param0, param1].
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_2(hardtanh, Clamp)
ALWI void hardtanh_tile_pack(uint32_t idst, uint32_t param0, uint32_t param1) {
    PACK((hardtanh_tile(idst, param0, param1)));
}
ALWI void hardtanh_tile_init_pack() { PACK((sfpu_call::init())); }

}  // namespace ckernel
