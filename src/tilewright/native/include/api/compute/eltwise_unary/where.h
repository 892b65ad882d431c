// SPDX-License-Identifier: Apache-2.0
// odst = tile 1 where tile 0 is not zero, else tile 2.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    static_assert(
        data_format == DataFormat::Float32 || data_format == DataFormat::Float16_b ||
            data_format == DataFormat::Int32 || data_format == DataFormat::UInt32,
        "where_tile: format must be Float32, Float16_b, Int32 or UInt32");
    sfpu_call::ternary(tw::SfpuTernary::Where, idst0, idst1, idst2, odst);
}
ALWI void where_tile_init() { sfpu_call::init(); }

// Older spellings.

ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    where_tile<DataFormat::Float16_b>(idst0, idst1, idst2, odst);
}
ALWI void where_fp32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    where_tile<DataFormat::Float32>(idst0, idst1, idst2, odst);
}
ALWI void where_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    where_tile<DataFormat::Int32>(idst0, idst1, idst2, odst);
}
ALWI void where_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    where_tile<DataFormat::UInt32>(idst0, idst1, idst2, odst);
}

}  // namespace ckernel
