// SPDX-License-Identifier: Apache-2.0
// Consecutive DST tiles to consecutive pages.
#pragma once

#include "api/compute/pack.h"

namespace ckernel {

ALWI void pack_block_contiguous_init(uint32_t) {}
template <bool is_fp32_dest_acc_en = false>
ALWI void pack_block_contiguous(uint32_t ifrom_dst, uint32_t ocb, uint32_t num_tiles) {
    pack_block(ifrom_dst, ocb, num_tiles);
}

}  // namespace ckernel
