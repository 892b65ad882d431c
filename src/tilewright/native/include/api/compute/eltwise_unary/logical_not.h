// SPDX-License-Identifier: Apache-2.0
// 1 where the tile is zero, 0 elsewhere.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat DATA_FORMAT>
ALWI void logical_not_tile(uint32_t idst) {
    constexpr bool is_integer = sfpu_call::is_integer_format(DATA_FORMAT);
    static_assert(
        is_integer || DATA_FORMAT == DataFormat::Float32 || DATA_FORMAT == DataFormat::Float16_b ||
            DATA_FORMAT == DataFormat::Bfp8_b || DATA_FORMAT == DataFormat::Bfp4_b,
        "logical_not_tile: format must be Float32, Float16_b, Bfp8_b, Bfp4_b, Int32, UInt32 or UInt16");
    sfpu_call::unary(is_integer ? tw::SfpuUnary::LogicalNotInt : tw::SfpuUnary::LogicalNot, idst);
}
ALWI void logical_not_tile_init() { sfpu_call::init(); }

// Older spellings.

ALWI void logical_not_unary_tile(uint32_t idst) { logical_not_tile<DataFormat::Float16_b>(idst); }
ALWI void logical_not_unary_tile_int32(uint32_t idst) { logical_not_tile<DataFormat::Int32>(idst); }
ALWI void logical_not_unary_tile_uint32(uint32_t idst) { logical_not_tile<DataFormat::UInt32>(idst); }
ALWI void logical_not_unary_tile_uint16(uint32_t idst) { logical_not_tile<DataFormat::UInt16>(idst); }
ALWI void logical_not_unary_tile_init() { logical_not_tile_init(); }

}  // namespace ckernel
