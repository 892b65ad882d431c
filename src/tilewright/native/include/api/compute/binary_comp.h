// SPDX-License-Identifier: Apache-2.0
// Comparisons of two integer tiles: 1 where true, 0 elsewhere.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

#define TW_COMPARE(relation, signed_op, unsigned_op) \
    template <DataFormat data_format> \
    ALWI void relation##_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        static_assert(sfpu_call::is_integer_format(data_format), "format must be Int32, UInt32 or UInt16"); \
        constexpr bool is_unsigned = sfpu_call::is_unsigned_format(data_format); \
        sfpu_call::binary(is_unsigned ? tw::SfpuBinary::unsigned_op : tw::SfpuBinary::signed_op, idst0, idst1, odst); \
    } \
    template <DataFormat data_format> \
    ALWI void relation##_int_tile_init() { \
        static_assert(sfpu_call::is_integer_format(data_format), "format must be Int32, UInt32 or UInt16"); \
        sfpu_call::init(); \
    } \
    /* Older spellings. */ \
    ALWI void relation##_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        relation##_int_tile<DataFormat::Int32>(idst0, idst1, odst); \
    } \
    ALWI void relation##_int32_tile_init() { relation##_int_tile_init<DataFormat::Int32>(); }
TW_COMPARE(eq, EqualInt, EqualInt)
TW_COMPARE(ne, NotEqualInt, NotEqualInt)
TW_COMPARE(lt, LessInt, LessUint)
TW_COMPARE(gt, GreaterInt, GreaterUint)
TW_COMPARE(le, LessEqualInt, LessEqualUint)
TW_COMPARE(ge, GreaterEqualInt, GreaterEqualUint)
#undef TW_COMPARE

}  // namespace ckernel
