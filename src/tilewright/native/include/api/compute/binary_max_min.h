// SPDX-License-Identifier: Apache-2.0
// The larger or smaller element of two tiles.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void binary_max_tile(
    uint32_t idst0, uint32_t idst1, uint32_t odst, sfpu_call::Faces vector_mode = VectorMode::RC) {
    sfpu_call::binary_on(tw::SfpuBinary::Max, idst0, idst1, odst, vector_mode);
}
ALWI void binary_max_tile_init() { sfpu_call::init(); }
ALWI void binary_min_tile(
    uint32_t idst0, uint32_t idst1, uint32_t odst, sfpu_call::Faces vector_mode = VectorMode::RC) {
    sfpu_call::binary_on(tw::SfpuBinary::Min, idst0, idst1, odst, vector_mode);
}
ALWI void binary_min_tile_init() { sfpu_call::init(); }

TW_SFPU_BINARY(binary_max_int32, MaxInt)
TW_SFPU_BINARY(binary_min_int32, MinInt)
TW_SFPU_BINARY(binary_max_uint32, MaxUint)
TW_SFPU_BINARY(binary_min_uint32, MinUint)

}  // namespace ckernel
