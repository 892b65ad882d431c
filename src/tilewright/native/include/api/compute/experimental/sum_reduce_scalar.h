// SPDX-License-Identifier: Apache-2.0
// The sum of tiles as one number, like mul_reduce_scalar.h without a second operand.
#pragma once

#include "api/compute/experimental/mul_reduce_scalar.h"
#include "api/compute/tile_move_copy.h"

namespace ckernel {

ALWI void sum_reduce_scalar_init(std::uint32_t icb) { copy_init(icb); }

ALWI void sum_reduce_scalar_tile(std::uint32_t icb, std::uint32_t, std::uint32_t num_tiles, float scaler = 1.0f) {
    for (std::uint32_t i = 0; i < num_tiles; ++i) {
        copy_tile(icb, i, i);
    }
    detail::reduce_dest(num_tiles, scaler, "sum_reduce_scalar_tile");
}

}  // namespace ckernel
