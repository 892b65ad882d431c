// SPDX-License-Identifier: Apache-2.0
// Sums, averages and maxima along rows, columns or a whole tile, with the scaler tile as the second operand.
//
// Row sums are a matrix product: data in SrcB, the scaler's rows (transposed) in SrcA. So column j of the result comes
// from row j of the scaler; usually only its row 0 is filled. Column sums are pooled: data in SrcA, row 0 of the
// scaler's face in SrcB. A whole-tile sum pools columns, transposes the row of sums and pools again: the scaler applies
// twice. Maxima pool columns of SrcA (of the transposed face for rows); the running maxima of rows are kept in row 0 of
// the face.
#include "reduce.h"

#include <algorithm>

#include "check/compute/operands.h"
#include "check/values/scaler_width.h"
#include "deferred_dst.h"
#include "known_operands.h"
#include "reduction.h"
#include "source.h"

namespace tw {

namespace {

// Whether the slot holds only a column after the sum of the tile's rows.
bool keeps_column(
    const ComputeState& state, const Operand& data, const Operand& scaler, uint32_t num_faces, uint32_t dst) {
    return num_faces == 4 && is_square_tile(data.geometry) && is_square_tile(scaler.geometry) && may_defer(state) &&
           (dst_reads_zero(state, dst) || dst_column_apart(state, dst));
}

}  // namespace

void reduce(
    ComputeState& state,
    Pool pool,
    ReduceAxis axis,
    const Operand& data,
    const TileTaint& data_taint,
    const Operand& scaler,
    const TileTaint& scaler_taint,
    uint32_t num_faces,
    uint32_t dst) {
    if (is_integer(data.format) || is_integer(scaler.format)) {
        kernel_error(
            "reduce_tile of %s data with a %s scaler is not modelled, only floats are",
            format_name(data.format),
            format_name(scaler.format));
    }
    check_slot(state, dst, "reduce_tile");
    note_dst_write(state, dst, true);
    check_scaler(state, pool, axis, scaler);
    taint_reduce(state, pool, axis, data, data_taint, scaler, scaler_taint, num_faces, dst);
    const bool maximum = pool == Pool::Max;
    if (axis == ReduceAxis::Row && !maximum && keeps_column(state, data, scaler, num_faces, dst)) {
        const Reduction reduction{state, data, scaler, nullptr, false, num_faces};
        if (sums_in_one_pass(reduction) && knows_ones(state, scaler, [&] { return multiplies_by_ones(reduction); })) {
            add_to_column(reduction, dst_update_column(state, dst, "reduce_tile"));
            return;
        }
    }
    const bool fresh = dst_reads_zero(state, dst);
    uint32_t* words = dst_update(state, dst, "reduce_tile");
    const Reduction reduction{state, data, scaler, words, fresh, num_faces};
    switch (axis) {
        case ReduceAxis::Row: return maximum ? max_along_rows(reduction) : sum_along_rows(reduction);
        case ReduceAxis::Col: return maximum ? max_along_columns(reduction) : sum_along_columns(reduction);
        case ReduceAxis::Scalar: return maximum ? max_of_whole_tile(reduction) : sum_whole_tile(reduction);
    }
}

void check_pool(uint32_t pool, uint32_t axis) {
    if (static_cast<Pool>(pool) == Pool::Min || pool > static_cast<uint32_t>(Pool::Min)) {
        kernel_error(
            "reduce_tile: the matrix unit pools SUM, AVG and MAX only; take MIN as -MAX(-x) or with the vector unit");
    }
    if (axis > static_cast<uint32_t>(ReduceAxis::Scalar)) {
        kernel_error("reduce_tile: axis %u, but only 0 (row), 1 (column), 2 (scalar) exist", axis);
    }
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_reduce_tile(
    uint32_t pool, uint32_t axis, uint32_t cb, uint32_t cb_scaler, uint32_t tile, uint32_t tile_scaler, uint32_t dst) {
    check_pool(pool, axis);
    const uint32_t detail = reduce_detail(pool, axis);
    check_loops(
        started_state("reduce_tile"), {UnpackLoop::Reduce, detail, MathLoop::Reduce, detail}, cb, "reduce_tile");
    if (cb == kNoCb) [[unlikely]] {
        KernelInstance& instance = current_instance();
        if (!take_unpacked(instance)) {
            return;
        }
        const OperandTile taken = instance.sources->operand(0), scaler = instance.sources->operand(1);
        cb = taken.cb, tile = taken.tile, cb_scaler = scaler.cb, tile_scaler = scaler.tile;
    } else if (!begin_operation({{cb, tile}, {cb_scaler, tile_scaler}})) {
        return;
    }
    ComputeState& state = math_state("reduce_tile");
    // Only the row sum has the data in SrcB.
    const bool swapped = static_cast<ReduceAxis>(axis) == ReduceAxis::Row && static_cast<Pool>(pool) != Pool::Max;
    alignas(64) uint32_t data_buffer[kTileElements], scaler_buffer[kTileElements];
    const Operand data = unpack(state, swapped ? state.src_b : state.src_a, cb, tile, data_buffer, "reduce_tile");
    const Operand scaler =
        unpack(state, swapped ? state.src_a : state.src_b, cb_scaler, tile_scaler, scaler_buffer, "reduce_tile");
    const TileTaint data_taint = taint_of(state, cb, data.bytes);
    const TileTaint scaler_taint = taint_of(state, cb_scaler, scaler.bytes);
    reduce(
        state,
        static_cast<Pool>(pool),
        static_cast<ReduceAxis>(axis),
        data,
        data_taint,
        scaler,
        scaler_taint,
        data.geometry.num_faces,
        dst);
}

void tw_reduce_dest(uint32_t num_tiles, uint32_t scaler_bits, const char* call) {
    if (!runs_on(current_instance(), kMathThread)) {
        return;
    }
    ComputeState& state = math_state(call);
    constexpr uint32_t kMostTiles = 8;  // that a card moves from DST to SrcA
    if (num_tiles == 0 || num_tiles > std::min(kMostTiles, state.dst_capacity())) {
        kernel_error("%s: %u tiles, allowed are 1 to %u", call, num_tiles, std::min(kMostTiles, state.dst_capacity()));
    }
    alignas(64) uint32_t scaler_words[kTileElements];
    const float in_dst = as_in_dst(std::bit_cast<float>(scaler_bits), state.fp32_dest);
    std::fill_n(scaler_words, kTileElements, std::bit_cast<uint32_t>(in_dst));
    Operand scaler;
    scaler.words = scaler_words;
    scaler.mask = src_float_mask(state);
    scaler.format = DataFormat::Float32;
    Operand data = scaler;
    FaceRow pooled{};
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        data.words = dst_update(state, tile, call);
        const DstTaint* taints = dst_of(state);
        const TileTaint taint = taints != nullptr ? taints->slot[tile] : TileTaint{};
        taint_reduce(state, Pool::Sum, ReduceAxis::Scalar, data, taint, scaler, {}, data.geometry.num_faces, 0);
        pool_tile({state, data, scaler, nullptr, false, data.geometry.num_faces}, pooled);
    }
    uint32_t* words = dst_overwrite(state, 0, call);
    note_dst_write(state, 0, true);
    std::fill_n(words, kTileElements, 0);
    add_pooled({state, data, scaler, words, false, data.geometry.num_faces}, pooled);
}

void tw_reduce_block_init(uint32_t num_tiles) {
    started_state("reduce_block_max_row_init").scratch[kReduceBlockTiles] = num_tiles;
}

uint32_t tw_reduce_block_tiles() {
    const uint32_t num_tiles = started_state("reduce_block_max_row").scratch[kReduceBlockTiles];
    if (num_tiles == 0) {
        kernel_error("reduce_block_max_row_runtime without reduce_block_max_row_init_runtime before it");
    }
    return num_tiles;
}
}
