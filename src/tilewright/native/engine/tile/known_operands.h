// SPDX-License-Identifier: Apache-2.0
// Operands that calls broadcast tile after tile: column 0 of a tile of means, a reduction's scaler. What a call has read
// of them is kept for the next one (ComputeState::known).
//
// It is valid as long as a deferred tile would be (deferred_dst.h): it is forgotten before other kernels run, and before
// the packer writes into a circular buffer that the tile lies in. Only kernels that may defer tiles keep anything.
#pragma once

#include <utility>

#include "dst.h"
#include "unpack.h"

namespace tw {

inline KnownTile known_tile(const Operand& operand) {
    return {operand.bytes, operand.format, operand.halves != nullptr ? ~0u : operand.mask};
}

// Column 0 of a square tile of floats.
const KnownOperands::Column& known_column(ComputeState& state, const Operand& operand);

// Whether the scaler is ones in row 0 and zeros below; `test` finds out.
template <class Test>
bool knows_ones(ComputeState& state, const Operand& scaler, Test test) {
    const KnownTile tile = known_tile(scaler);
    const bool knows = (state.scratch[kDstDeferred] & kKnowsOperands) != 0;
    if (knows && state.known.ones == tile) [[likely]] {
        return true;
    }
    if (!test()) {
        return false;
    }
    if (!knows) {
        state.known = {};
        state.scratch[kDstDeferred] |= kKnowsOperands;
    }
    state.known.ones = tile;
    return true;
}

inline void forget_operands(ComputeState& state) { state.scratch[kDstDeferred] &= ~kKnowsOperands; }
// Forgets what was read in these bytes of L1.
void forget_operands_in(ComputeState& state, uint64_t address, uint64_t bytes);

}  // namespace tw
