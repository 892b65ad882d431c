// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/reg_api.h: one call for maths and packer together.
#pragma once

#include "api/compute/reg_api.h"

namespace ckernel {

inline void acquire_dst() { tw_acquire_dst(); }
template <bool is_fp32_dest_acc_en = false>
inline void release_dst() {
    tw_release_dst();
}

}  // namespace ckernel
