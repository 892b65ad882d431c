// SPDX-License-Identifier: Apache-2.0
// The first rows of a DST tile to an address in L1, given in 16-byte words.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void pack_rows_to_addr_init(uint32_t num_rows) { tw_pack_rows_init(num_rows); }
ALWI void pack_rows_to_addr(uint32_t idst, uint32_t l1_addr) { tw_pack_rows_to_address(idst, l1_addr << 4); }
ALWI void pack_rows_to_addr_uninit() {}

}  // namespace ckernel
