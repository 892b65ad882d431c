// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/compute/tile_move_copy.h"

namespace ckernel {

ALWI void copy_tile_custom(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
    copy_tile(in_cb_id, in_tile_index, dst_tile_index);
}

}  // namespace ckernel
