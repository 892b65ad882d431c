// SPDX-License-Identifier: Apache-2.0
// ct_dim tiles times one column, added to DST, in one call.
#pragma once

#include "api/compute/bcast.h"

namespace ckernel {

ALWI void mul_bcast_cols_init_short_custom(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t call_line = __builtin_LINE()) {
    mul_bcast_cols_init(icb0, icb1, call_line);
}
ALWI void mul_tiles_bcast_cols_custom(
    std::uint32_t icb0,
    std::uint32_t icb1,
    std::uint32_t itile0,
    std::uint32_t itile1,
    std::uint32_t idst,
    std::uint32_t ct_dim) {
    for (std::uint32_t i = 0; i < ct_dim; ++i) {
        mul_tiles_bcast_cols(icb0, icb1, itile0 + i, itile1, idst + i);
    }
}

}  // namespace ckernel
