// SPDX-License-Identifier: Apache-2.0
// odst = tile 0 * tile 1 + tile 2.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void mac_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    static_assert(sfpu_call::is_float_format(data_format), "mac_tile: format must be Float32 or Float16_b");
    // A card's program is recorded by the init call, for these slots.
    if (idst0 != 0 || idst1 != 1 || idst2 != 2 || odst != 0) {
        tw_kernel_failed("mac_tile takes its operands from DST 0, 1 and 2 and leaves the result in 0");
    }
    sfpu_call::ternary(tw::SfpuTernary::MultiplyAdd, idst0, idst1, idst2, odst);
}
template <DataFormat data_format>
ALWI void mac_tile_init() {
    sfpu_call::init();
}

}  // namespace ckernel
