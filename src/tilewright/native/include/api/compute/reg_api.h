// SPDX-License-Identifier: Apache-2.0
// Handing DST from maths to packer and back.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void tile_regs_acquire() { tw_tile_regs_acquire(); }
template <bool is_fp32_dest_acc_en = false>
ALWI void tile_regs_commit() {
    tw_tile_regs_commit();
}
ALWI void tile_regs_wait() { tw_tile_regs_wait(); }
template <bool is_fp32_dest_acc_en = false>
ALWI void tile_regs_release() {
    tw_tile_regs_release();
}

}  // namespace ckernel

#include "tw/older/reg_api.h"
