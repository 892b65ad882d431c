// SPDX-License-Identifier: Apache-2.0
// One integer tile shifted by another.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

#define TW_CHECK_FORMAT \
    static_assert(sfpu_call::is_integer_format(data_format), "format must be Int32, UInt32 or UInt16")

template <DataFormat data_format>
ALWI void binary_left_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    TW_CHECK_FORMAT;
    sfpu_call::binary(tw::SfpuBinary::LeftShift, idst0, idst1, odst, sfpu_call::format_mask(data_format));
}
template <DataFormat data_format>
ALWI void binary_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    TW_CHECK_FORMAT;
    constexpr bool is_uint32 = data_format == DataFormat::UInt32;
    sfpu_call::binary(
        is_uint32 ? tw::SfpuBinary::ClampedLogicalRightShift : tw::SfpuBinary::RightShift, idst0, idst1, odst);
}
template <DataFormat data_format>
ALWI void binary_logical_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    TW_CHECK_FORMAT;
    sfpu_call::binary(tw::SfpuBinary::LogicalRightShift, idst0, idst1, odst);
}
ALWI void binary_shift_tile_init() { sfpu_call::init(); }

#undef TW_CHECK_FORMAT

}  // namespace ckernel
