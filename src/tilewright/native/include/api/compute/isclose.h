// SPDX-License-Identifier: Apache-2.0
// 1.0 where |a - b| <= atol + rtol |b|.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <bool EQUAL_NAN = false>
ALWI void isclose_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, uint32_t rtol_bits, uint32_t atol_bits) {
    constexpr tw::SfpuBinary op = EQUAL_NAN ? tw::SfpuBinary::IscloseEqualNan : tw::SfpuBinary::Isclose;
    sfpu_call::binary(op, idst0, idst1, odst, rtol_bits, atol_bits);
}
ALWI void isclose_binary_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
