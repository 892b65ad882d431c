// SPDX-License-Identifier: Apache-2.0
// Shifts of an integer tile by one number.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void left_shift_tile(uint32_t idst, uint32_t param0) {
    static_assert(sfpu_call::is_integer_format(data_format), "left_shift_tile: format must be Int32, UInt32 or UInt16");
    sfpu_call::unary(tw::SfpuUnary::LeftShift, idst, param0, sfpu_call::format_mask(data_format));
}
template <DataFormat data_format>
ALWI void right_shift_tile(uint32_t idst, uint32_t param0) {
    static_assert(
        sfpu_call::is_integer_format(data_format), "right_shift_tile: format must be Int32, UInt32 or UInt16");
    constexpr bool logical = sfpu_call::is_unsigned_format(data_format);
    sfpu_call::unary(logical ? tw::SfpuUnary::LogicalRightShift : tw::SfpuUnary::RightShift, idst, param0);
}
ALWI void left_shift_tile_init() { sfpu_call::init(); }
ALWI void right_shift_tile_init() { sfpu_call::init(); }

// Older spellings.

ALWI void left_shift_tile(uint32_t idst, uint32_t param0) { left_shift_tile<DataFormat::Int32>(idst, param0); }
ALWI void right_shift_tile(uint32_t idst, uint32_t param0) { right_shift_tile<DataFormat::Int32>(idst, param0); }

}  // namespace ckernel
