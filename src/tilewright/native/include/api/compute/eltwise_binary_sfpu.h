// SPDX-License-Identifier: Apache-2.0
// Float arithmetic and comparisons of two tiles in DST.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY_DEST(div_binary, Div)
TW_SFPU_BINARY_DEST(mul_binary, Mul)
TW_SFPU_BINARY_DEST(power_binary, Power)

// Into 16-bit DST a sum is cut off unless the kernel asks for rounding.
#define TW_SUM(name, op) \
    template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, bool is_fp32_dest_acc_en = false> \
    ALWI void name##_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        constexpr bool rounded = dst_rounding_mode == DstRoundingMode::NearestEven; \
        sfpu_call::binary(rounded ? tw::SfpuBinary::op##Rounded : tw::SfpuBinary::op, idst0, idst1, odst); \
    } \
    ALWI void name##_binary_tile_init() { sfpu_call::init(); }
TW_SUM(add, Add)
TW_SUM(sub, Sub)
TW_SUM(rsub, Rsub)
#undef TW_SUM

TW_SFPU_BINARY(eq_binary, Equal)
TW_SFPU_BINARY(ne_binary, NotEqual)
TW_SFPU_BINARY(lt_binary, Less)
TW_SFPU_BINARY(gt_binary, Greater)
TW_SFPU_BINARY(le_binary, LessEqual)
TW_SFPU_BINARY(ge_binary, GreaterEqual)

}  // namespace ckernel
