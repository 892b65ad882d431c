// SPDX-License-Identifier: Apache-2.0
// Scaled exponential linear unit.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST_2(selu, Selu)  // scale, alpha
template <bool is_fp32_dest_acc_en = false>
ALWI void selu_tile_pack(uint32_t idst, uint32_t scale, uint32_t alpha) {
    PACK((selu_tile(idst, scale, alpha)));
}
ALWI void selu_tile_init_pack() { PACK((sfpu_call::init())); }

}  // namespace ckernel
