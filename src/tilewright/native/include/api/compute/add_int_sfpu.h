// SPDX-License-Identifier: Apache-2.0
// Sum of two integer tiles.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void add_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(sfpu_call::is_integer_format(data_format), "add_int: format must be Int32, UInt32 or UInt16");
    sfpu_call::binary(tw::SfpuBinary::AddInt, idst0, idst1, odst, sfpu_call::format_mask(data_format));
}
ALWI void add_int_tile_init() { sfpu_call::init(); }

// Older spellings.

ALWI void add_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    add_int_tile<DataFormat::Int32>(idst0, idst1, odst);
}
ALWI void add_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    add_int_tile<DataFormat::UInt32>(idst0, idst1, odst);
}
ALWI void add_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    add_int_tile<DataFormat::UInt16>(idst0, idst1, odst);
}

}  // namespace ckernel
