// SPDX-License-Identifier: Apache-2.0
// Taint of the vector unit's results, from the DST tiles it works on.
#include <algorithm>
#include <cstring>
#include <span>

#include "check/checks.h"
#include "check/values/values.h"
#include "sfpu/registers.h"
#include "tile/dst.h"

namespace tw {

using sfpu::element;

void checked::check_vector_operand(const ComputeState& state, uint32_t slot, const char* call) {
    if (dst_reads_zero(state, slot)) {
        note_finding(
            *state.checks->operands.instance,
            Rule::DstUnwritten,
            kNoCircularBuffer,
            0,
            "%s takes DST register %u, and no operation has written it since tile_regs_acquire",
            call,
            slot);
    }
}

void checked::taint_vector_unary(
    const ComputeState& state, bool defines, uint32_t slot, const DataRange* ranges, uint32_t count) {
    DstTaint* dst = dst_of(state);
    if (!defines || dst->slot[slot].clean) [[likely]] {
        return;
    }
    TileTaint& out = dst->slot[slot];
    uint32_t covered = 0;
    for (uint32_t part = 0; part < count; part++) {
        std::memset(out.of + ranges[part].begin, 0, ranges[part].end - ranges[part].begin);
        covered += ranges[part].end - ranges[part].begin;
    }
    out.clean = covered == kTileElements;
}

void checked::taint_vector_binary(
    const ComputeState& state,
    uint32_t slot_a,
    uint32_t slot_b,
    uint32_t out_slot,
    const DataRange* ranges,
    uint32_t count) {
    DstTaint* dst = dst_of(state);
    const TileTaint &a = dst->slot[slot_a], &b = dst->slot[slot_b];
    TileTaint& out = dst->slot[out_slot];
    if (a.clean && b.clean && out.clean) {
        return;
    }
    out.open();
    for (uint32_t part = 0; part < count; part++) {
        for (uint32_t i = ranges[part].begin; i < ranges[part].end; i++) {
            out.of[i] = a.at(i) | b.at(i);
        }
    }
    out.take_origins(a);
    out.take_origins(b);
}

void taint_vector_ternary(
    const ComputeState& state,
    uint32_t slot_a,
    uint32_t slot_b,
    uint32_t slot_c,
    uint32_t out_slot,
    bool is_where,
    const DataRange* ranges,
    uint32_t count) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr) [[likely]] {
        return;
    }
    const TileTaint &a = dst->slot[slot_a], &b = dst->slot[slot_b], &c = dst->slot[slot_c];
    TileTaint& out = dst->slot[out_slot];
    if (a.clean && b.clean && c.clean && out.clean) {
        return;
    }
    out.open();
    for (uint32_t part = 0; part < count; part++) {
        for (uint32_t i = ranges[part].begin; i < ranges[part].end; i++) {
            const uint8_t chosen = state.dst[slot_a][i] == 0 ? c.at(i) : b.at(i);
            out.of[i] = a.at(i) | (is_where ? chosen : static_cast<uint8_t>(b.at(i) | c.at(i)));
        }
    }
    out.take_origins(a);
    out.take_origins(b);
    out.take_origins(c);
}

void taint_slot_copy(const ComputeState& state, uint32_t from, uint32_t to) {
    if (DstTaint* dst = dst_of(state)) [[unlikely]] {
        dst->slot[to] = dst->slot[from];
    }
}

void taint_slot_mask(const ComputeState& state, uint32_t slot, uint32_t mask_slot, uint32_t ignored_bits) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr || (dst->slot[slot].clean && dst->slot[mask_slot].clean)) [[likely]] {
        return;
    }
    TileTaint& out = dst->slot[slot];
    const TileTaint& mask = dst->slot[mask_slot];
    out.open();
    for (uint32_t i = 0; i < kTileElements; i++) {
        const bool replaced = (state.dst[mask_slot][i] & ~ignored_bits) == 0;
        out.of[i] = mask.at(i) | (replaced ? 0 : out.of[i]);
    }
    out.take_origins(mask);
}

void taint_slot_broadcast(const ComputeState& state, uint32_t slot, uint32_t vector_slot, Broadcast broadcast) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr || dst->slot[vector_slot].clean) [[likely]] {
        return;
    }
    TileTaint& out = dst->slot[slot];
    const TileTaint& vector = dst->slot[vector_slot];
    out.open();
    for (uint32_t i = 0; i < kTileElements; i++) {
        out.of[i] |= vector.of[broadcast_source(broadcast, 0, i, 2, 2)];
    }
    out.take_origins(vector);
}

void taint_slot_add(const ComputeState& state, uint32_t slot, uint32_t other) {
    taint_slot_broadcast(state, slot, other, Broadcast::None);
}

void taint_slot_defined(const ComputeState& state, uint32_t slot) {
    if (DstTaint* dst = dst_of(state)) [[unlikely]] {
        dst->slot[slot].clean = true;
    }
}

void taint_running_sum(const ComputeState& state, uint32_t slot, bool first) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr) [[likely]] {
        return;
    }
    if (first) {
        std::memset(dst->running, 0, sizeof dst->running);
    }
    TileTaint& out = dst->slot[slot];
    const bool carried = std::any_of(dst->running, dst->running + 32, [](uint8_t each) { return each != 0; });
    if (out.clean && !carried) {
        return;
    }
    out.open();
    for (uint32_t column = 0; column < 32; column++) {
        for (uint32_t row = 0; row < 32; row++) {
            dst->running[column] |= out.of[element(row, column)];
            out.of[element(row, column)] = dst->running[column];
        }
    }
}

// Columns of one tile go into its row 0, rows of ct_dim tiles side by side into column 0 of the first.
void taint_vector_reduce(const ComputeState& state, ReduceAxis axis, uint32_t slot, uint32_t ct_dim, uint32_t rt_dim) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr) [[likely]] {
        return;
    }
    const bool rows = axis == ReduceAxis::Row;
    for (uint32_t line = 0; line < (rows ? rt_dim : 1); line++) {
        TileTaint& result = dst->slot[slot + line * ct_dim];
        uint8_t sums[32] = {};
        for (uint32_t i = 0; i < (rows ? ct_dim : rt_dim); i++) {
            const TileTaint& tile = dst->slot[slot + line * ct_dim + i];
            for (uint32_t datum = 0; datum < kTileElements && !tile.clean; datum++) {
                sums[datum / 32] |= tile.of[rows ? element(datum / 32, datum % 32) : element(datum % 32, datum / 32)];
            }
            result.take_origins(tile);
        }
        result.clean = false;
        std::memset(result.of, kBeside, sizeof result.of);
        result.origins.of[2] = {Origin::Kind::Reduction, static_cast<uint8_t>(axis), kNoCb, 0};
        for (uint32_t i = 0; i < 32; i++) {
            result.of[rows ? element(i, 0) : element(0, i)] = sums[i];
        }
    }
}

void taint_tail_defined(const ComputeState& state, uint32_t slot, uint32_t begin) {
    DstTaint* dst = dst_of(state);
    if (dst != nullptr && !dst->slot[slot].clean) [[unlikely]] {
        std::fill(dst->slot[slot].of + begin, dst->slot[slot].of + kTileElements, uint8_t{0});
    }
}

void taint_sequence_mixed(const ComputeState& state, uint32_t first_slot, uint32_t count) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr) [[likely]] {
        return;
    }
    const std::span<TileTaint> tiles(dst->slot + first_slot, count);
    if (std::ranges::all_of(tiles, &TileTaint::clean)) {
        return;
    }
    uint8_t all = 0;
    for (const TileTaint& tile : tiles) {
        for (uint32_t i = 0; i < kTileElements; i++) {
            all |= tile.at(i);
        }
    }
    for (TileTaint& tile : tiles) {
        tile.open();
        std::fill(tile.of, tile.of + kTileElements, all);
        tile.take_origins(tiles[0]);
    }
}

static void mix_run(TileTaint* tiles, uint32_t column, uint32_t begin, uint32_t end) {
    uint8_t all = 0;
    for (uint32_t i = begin; i < end; i++) {
        all |= tiles[i / 32].at(element(i % 32, column)) | tiles[2 + i / 32].at(element(i % 32, column));
    }
    for (uint32_t i = begin; i < end; i++) {
        tiles[i / 32].of[element(i % 32, column)] = tiles[2 + i / 32].of[element(i % 32, column)] = all;
    }
}

void taint_columns_mixed(const ComputeState& state, uint32_t first_slot, uint32_t run) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr) [[likely]] {
        return;
    }
    TileTaint* tiles = dst->slot + first_slot;
    if (tiles[0].clean && tiles[1].clean && tiles[2].clean && tiles[3].clean) {
        return;
    }
    for (uint32_t tile = 0; tile < 4; tile++) {
        tiles[tile].open();
        tiles[tile].take_origins(tiles[0]);
    }
    for (uint32_t column = 0; column < 32; column++) {
        for (uint32_t begin = 0; begin < 64; begin += run) {
            mix_run(tiles, column, begin, begin + run);
        }
    }
}

}  // namespace tw
