// SPDX-License-Identifier: Apache-2.0
// odst = tile 0 + tile 2 * (tile 1 - tile 0).
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat data_format, bool is_fp32_dest_acc_en = false>
ALWI void lerp_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
    static_assert(sfpu_call::is_float_format(data_format), "lerp_tile: format must be Float32 or Float16_b");
    sfpu_call::ternary(tw::SfpuTernary::Lerp, idst0, idst1, idst2, odst);
}
ALWI void lerp_tile_init() { sfpu_call::init(); }

}  // namespace ckernel
