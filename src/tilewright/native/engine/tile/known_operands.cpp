// SPDX-License-Identifier: Apache-2.0
#include "known_operands.h"

#include "broadcast.h"

namespace tw {

static void read_column(const Operand& operand, KnownOperands::Column& column) {
    with_reader(operand, [&](auto reader) {
        for (uint32_t row = 0; row < 32; row += kLanes) {
            store(column.values + row, reader.column(row / 16 * 2 * kFaceElements + row % 16 * 16));
        }
    });
    column.differences_stay_normal =
        differences_stay_normal(column.values) && differences_stay_normal(column.values + 16);
}

const KnownOperands::Column& known_column(ComputeState& state, const Operand& operand) {
    KnownOperands& known = state.known;
    const KnownTile tile = known_tile(operand);
    if ((state.scratch[kDstDeferred] & kKnowsOperands) == 0) {
        known = {};
        state.scratch[kDstDeferred] |= kKnowsOperands;
    }
    for (const KnownOperands::Column& column : known.columns) {
        if (column.tile == tile) [[likely]] {
            return column;
        }
    }
    KnownOperands::Column& column = known.columns[known.oldest_column];
    known.oldest_column ^= 1;
    column.tile = tile;
    read_column(operand, column);
    return column;
}

void forget_operands_in(ComputeState& state, uint64_t address, uint64_t bytes) {
    const auto forget = [=](KnownTile& tile) {
        if (reinterpret_cast<uintptr_t>(tile.bytes) - address < bytes) {
            tile = {};
        }
    };
    for (KnownOperands::Column& column : state.known.columns) {
        forget(column.tile);
    }
    forget(state.known.ones);
}

}  // namespace tw
