// SPDX-License-Identifier: Apache-2.0
// odst = tile 0 * tile 1 + tile 2.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void mac_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    static_assert(sfpu_call::is_float_format(data_format), "mac_tile: format must be Float32 or Float16_b");
    sfpu_call::ternary(tw::SfpuTernary::MultiplyAdd, idst0, idst1, idst2, odst);
}
template <DataFormat data_format>
ALWI void mac_tile_init() {
    sfpu_call::init();
}

}  // namespace ckernel
