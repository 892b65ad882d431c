// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/untilize.h.
#pragma once

#include "api/compute/untilize.h"

namespace ckernel {

inline void untilize_init_short(uint32_t icb) { untilize_init(icb); }

}  // namespace ckernel
