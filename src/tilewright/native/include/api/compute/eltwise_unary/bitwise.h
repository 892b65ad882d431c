// SPDX-License-Identifier: Apache-2.0
// Bitwise operations of an integer tile with one number.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

#define TW_BITWISE(name, op) \
    template <DataFormat data_format> \
    ALWI void name##_tile(uint32_t idst, uint32_t param0) { \
        static_assert(sfpu_call::is_integer_format(data_format), "format must be Int32, UInt32 or UInt16"); \
        sfpu_call::unary(tw::SfpuUnary::op, idst, param0 & sfpu_call::format_mask(data_format)); \
    } \
    /* Older spelling: one format. */ \
    inline void name##_tile(uint32_t idst, uint32_t param0) { name##_tile<DataFormat::Int32>(idst, param0); } \
    ALWI void name##_tile_init() { sfpu_call::init(); }
TW_BITWISE(bitwise_or, BitwiseOr)
TW_BITWISE(bitwise_xor, BitwiseXor)
TW_BITWISE(bitwise_and, BitwiseAnd)
#undef TW_BITWISE

}  // namespace ckernel
