// SPDX-License-Identifier: Apache-2.0
// Reduction of a tile that has already been unpacked.
#pragma once

#include <cstdint>

#include "abi/tile.h"
#include "check/values/values.h"
#include "unpack.h"

namespace tw {

// Ends the run with an error if the matrix unit has no such reduction.
void check_pool(uint32_t pool, uint32_t axis);

// Reduces the first num_faces faces of data into DST slot `dst`. The taints are used in checked runs only.
void reduce(
    ComputeState& state,
    Pool pool,
    ReduceAxis axis,
    const Operand& data,
    const TileTaint& data_taint,
    const Operand& scaler,
    const TileTaint& scaler_taint,
    uint32_t num_faces,
    uint32_t dst);

}  // namespace tw
