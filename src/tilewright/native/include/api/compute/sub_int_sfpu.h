// SPDX-License-Identifier: Apache-2.0
// Difference of two integer tiles, either way round.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void sub_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(sfpu_call::is_integer_format(data_format), "sub_int: format must be Int32, UInt32 or UInt16");
    sfpu_call::binary(tw::SfpuBinary::SubInt, idst0, idst1, odst, sfpu_call::format_mask(data_format));
}
template <DataFormat data_format>
ALWI void rsub_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(sfpu_call::is_integer_format(data_format), "rsub_int: format must be Int32, UInt32 or UInt16");
    sfpu_call::binary(tw::SfpuBinary::RsubInt, idst0, idst1, odst, sfpu_call::format_mask(data_format));
}
ALWI void sub_int_tile_init() { sfpu_call::init(); }
ALWI void rsub_int_tile_init() { sfpu_call::init(); }

// Older spellings.

ALWI void sub_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    sub_int_tile<DataFormat::Int32>(idst0, idst1, odst);
}
ALWI void sub_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    sub_int_tile<DataFormat::UInt32>(idst0, idst1, odst);
}
ALWI void sub_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    sub_int_tile<DataFormat::UInt16>(idst0, idst1, odst);
}
ALWI void rsub_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    rsub_int_tile<DataFormat::Int32>(idst0, idst1, odst);
}
ALWI void rsub_int32_tile_init() { rsub_int_tile_init(); }

}  // namespace ckernel
