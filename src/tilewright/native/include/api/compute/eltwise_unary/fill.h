// SPDX-License-Identifier: Apache-2.0
// A tile of one value.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void fill_tile(uint32_t idst, float param0) {
    sfpu_call::unary(tw::SfpuUnary::Fill, idst, __builtin_bit_cast(uint32_t, param0));
}
template <DataFormat DATA_FORMAT>
ALWI void fill_tile_int(uint32_t idst, uint32_t param0) {
    static_assert(sfpu_call::is_integer_format(DATA_FORMAT), "fill_tile_int: format must be Int32, UInt32 or UInt16");
    sfpu_call::unary(tw::SfpuUnary::FillWord, idst, param0 & sfpu_call::format_mask(DATA_FORMAT));
}
ALWI void fill_tile_bitcast(uint32_t idst, uint32_t param0) { sfpu_call::unary(tw::SfpuUnary::Fill, idst, param0); }
ALWI void fill_tile_init() { sfpu_call::init(); }

// Older spellings.

inline void fill_tile_int(uint32_t idst, uint32_t param0) { fill_tile_int<DataFormat::Int32>(idst, param0); }

}  // namespace ckernel
