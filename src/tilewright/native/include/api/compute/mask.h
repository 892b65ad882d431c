// SPDX-License-Identifier: Apache-2.0
// Elements cleared where the mask tile is zero. The mask is the tile after the data, whatever index is named.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void mask_tile_init() { sfpu_call::init(); }
ALWI void mask_tile(uint32_t idst_data, uint32_t idst2_mask, DataFormat data_format = DataFormat::Float16_b) {
    (void)idst2_mask;
    if (data_format == DataFormat::Float16_b || data_format == DataFormat::Float16) {
        tw_sfpu_mask(idst_data, 0, 0);
    } else if (data_format == DataFormat::Int32) {
        tw_sfpu_mask(idst_data, 0, 1);
    }
}
ALWI void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask) {
    (void)idst2_mask;
    tw_sfpu_mask(idst_data, 0x7f800000, 0);
}

}  // namespace ckernel
