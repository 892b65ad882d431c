// SPDX-License-Identifier: Apache-2.0
// Binary operations of two tiles that are deferred (deferred_dst.h): they note their operands and write no DST.
#include <cstring>

#include "broadcast.h"
#include "deferred_dst.h"

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
        !is_square_tile(a.geometry) || !may_defer(state)) {
        return false;
    }
    const DeferredTile* known = deferred_with_column(state, b.bytes, b.format);
    BroadcastOperand operand;
    if (known == nullptr) {
        broadcast_column(b, a.geometry, operand);
        if (!differences_stay_normal(operand, a.geometry.num_faces, a.faces_per_row())) {
            return false;
        }
    }
    DeferredTile& deferred = defer_dst(state, dst, call);
    deferred.tile = a.halves;
    deferred.last_step = DeferredTile::Step::Minus;
    deferred.column = b.bytes;
    deferred.column_format = b.format;
    if (known == nullptr) {
        std::memcpy(deferred.minus, operand.values, 16 * sizeof(float));
        std::memcpy(deferred.minus + 16, operand.values + 32, 16 * sizeof(float));
    } else if (known != &deferred) {
        std::memcpy(deferred.minus, known->minus, sizeof deferred.minus);
    }
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
    deferred.column = nullptr;
    return true;
}

}  // namespace tw
