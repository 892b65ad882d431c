// SPDX-License-Identifier: Apache-2.0
// Binary operations of two tiles that are deferred (deferred_dst.h): they note their operands and write no DST.
#include <cstring>

#include "deferred_dst.h"
#include "known_operands.h"

namespace tw {

bool defer_difference(
    ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    const Operand& a,
    const Operand& b,
    uint32_t dst,
    const char* call) {
    if (op != BinaryOp::Sub || broadcast != Broadcast::Col || a.halves == nullptr || is_integer(b.format) ||
        !is_square_tile(a.geometry) || !is_square_tile(b.geometry) || !may_defer(state)) {
        return false;
    }
    const KnownOperands::Column& column = known_column(state, b);
    if (!column.differences_stay_normal) {
        return false;
    }
    DeferredTile& deferred = defer_dst(state, dst, call);
    deferred.tile = a.halves;
    deferred.last_step = DeferredTile::Step::Minus;
    std::memcpy(deferred.minus, column.values, sizeof deferred.minus);
    return true;
}

bool defer_tile_product(
    ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    const Operand& a,
    const Operand& b,
    uint32_t dst,
    const char* call) {
    const auto lies_in_l1 = [](const Operand& operand) {
        return operand.format == DataFormat::Float32 && is_square_tile(operand.geometry);
    };
    if (op != BinaryOp::Mul || broadcast != Broadcast::None || state.fidelity != 4 || !lies_in_l1(a) ||
        !lies_in_l1(b) || !may_defer(state)) {
        return false;
    }
    DeferredTile& deferred = defer_dst(state, dst, call);
    deferred.factors[0] = a.words;
    deferred.factors[1] = b.words;
    deferred.mask = a.mask;
    deferred.last_step = DeferredTile::Step::Product;
    return true;
}

}  // namespace tw
