// SPDX-License-Identifier: Apache-2.0
// Product of two integer tiles, its low bits.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void mul_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    static_assert(sfpu_call::is_integer_format(data_format), "mul_int: format must be Int32, UInt32 or UInt16");
    sfpu_call::binary(tw::SfpuBinary::MulInt, idst0, idst1, odst, sfpu_call::format_mask(data_format));
}
template <DataFormat data_format>
ALWI void mul_int_tile_init() {
    sfpu_call::init();
}

// Older spellings.

ALWI void mul_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    mul_int_tile<DataFormat::Int32>(idst0, idst1, odst);
}
ALWI void mul_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    mul_int_tile<DataFormat::UInt32>(idst0, idst1, odst);
}
ALWI void mul_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
    mul_int_tile<DataFormat::UInt16>(idst0, idst1, odst);
}
ALWI void mul_int32_tile_init() { sfpu_call::init(); }
ALWI void mul_int_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
