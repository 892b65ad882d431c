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

// Older spellings.

#define TW_OLDER_SHIFT(name) \
    inline void name##_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        name##_tile<DataFormat::Int32>(idst0, idst1, odst); \
    } \
    inline void name##_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        name##_tile<DataFormat::Int32>(idst0, idst1, odst); \
    } \
    template <bool sign_magnitude_format = false> \
    inline void name##_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        static_assert(!sign_magnitude_format, "tilewright does not simulate integers of sign and magnitude here"); \
        name##_tile<DataFormat::UInt32>(idst0, idst1, odst); \
    }
TW_OLDER_SHIFT(binary_left_shift)
TW_OLDER_SHIFT(binary_right_shift)
TW_OLDER_SHIFT(binary_logical_right_shift)
#undef TW_OLDER_SHIFT

}  // namespace ckernel
