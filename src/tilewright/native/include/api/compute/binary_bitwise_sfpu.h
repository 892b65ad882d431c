// SPDX-License-Identifier: Apache-2.0
// Bitwise operations of two integer tiles.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

#define TW_BITWISE(name, op) \
    template <DataFormat data_format> \
    ALWI void name##_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        static_assert(sfpu_call::is_integer_format(data_format), "format must be Int32, UInt32 or UInt16"); \
        sfpu_call::binary(tw::SfpuBinary::op, idst0, idst1, odst); \
    } \
    /* Older spellings. */ \
    ALWI void name##_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        name##_binary_tile<DataFormat::Int32>(idst0, idst1, odst); \
    } \
    ALWI void name##_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        name##_binary_tile<DataFormat::UInt32>(idst0, idst1, odst); \
    } \
    ALWI void name##_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        name##_binary_tile<DataFormat::UInt16>(idst0, idst1, odst); \
    }
TW_BITWISE(bitwise_and, BitwiseAnd)
TW_BITWISE(bitwise_or, BitwiseOr)
TW_BITWISE(bitwise_xor, BitwiseXor)
#undef TW_BITWISE
ALWI void binary_bitwise_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
