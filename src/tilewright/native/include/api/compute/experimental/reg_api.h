// SPDX-License-Identifier: Apache-2.0
// DST handed over without the packer clearing it; the maths clears it on taking it.
#pragma once

#include "api/compute/reg_api.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = false>
ALWI void tile_regs_acquire_math_clear() {
    tw_tile_regs_acquire();
    tw_clear_dest();
}
ALWI void tile_regs_release_math_clear() { tw_tile_regs_release_keep(); }

}  // namespace ckernel
