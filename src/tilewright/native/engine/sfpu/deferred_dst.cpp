// SPDX-License-Identifier: Apache-2.0
// Evaluation of deferred tiles (tile/deferred_dst.h). Compiled with the flags of the vector unit's functions, whose
// sums and products it computes: a product that is added to a sum is fused in both or in neither.
#include "tile/deferred_dst.h"

#include <bit>
#include <cstring>

#include "tile/known_operands.h"
#include "tile/packed_pair.h"

namespace tw {

namespace {

using Step = DeferredTile::Step;

constexpr uint32_t kVectors = 2 * kRowVectors;  // of a row of the tile

// Where vector i of a row lies in the tile.
constexpr uint32_t place(uint32_t row, uint32_t i) {
    return (row / 16 * 2 + i / kRowVectors) * kFaceElements + row % 16 * 16 + i % kRowVectors * kLanes;
}

template <Step S>
struct TwoRows {
    static constexpr bool kIsNormal = S == Step::Minus;  // only differences that stay normal are deferred
    VectorF of[2][kVectors];

    template <bool Rounds, uint32_t Row, uint32_t NextRow>
    [[gnu::always_inline]] void pack(uint32_t i, uint32_t next, uint8_t* bytes) const {
        pack_pair<true, kIsNormal, Rounds>(bits_of(of[Row][i]), bits_of(of[NextRow][next]), bytes);
    }
};

// Whether each value, be it a NaN, can be rounded by adding to its bits: none has a magnitude that would overflow.
// A NaN that arithmetic gives is one of its operands, or the processor's own, which has few bits. A bfloat16's never
// overflow, so only the float32s of the steps are looked at.
bool values_round(const DeferredTile& deferred) {
    if (deferred.last_step == Step::Product) {
        return false;
    }
    VectorU most{};
    const auto look_at = [&most](const float* values) {
        for (uint32_t i = 0; i < 32; i += kLanes) {
            most = larger(most, load<VectorU>(values + i) & kMagnitudeMask);
        }
    };
    look_at(deferred.minus);
    if (deferred.last_step != Step::Minus) {
        look_at(deferred.times);
    }
    if (deferred.last_step == Step::Weighted) {
        look_at(deferred.weight);
        look_at(deferred.offset);
    }
    return !any_set(most + 0x8000u, ~kMagnitudeMask);
}

template <Step S>
inline VectorF value_at(const DeferredTile& deferred, uint32_t row, uint32_t i, VectorF weight, VectorF offset) {
    const uint32_t at = place(row, i);
    if constexpr (S == Step::Product) {
        const VectorU a = load<VectorU>(deferred.factors[0] + at) & (deferred.mask & kFullMask<Side::A>);
        const VectorU b = load<VectorU>(deferred.factors[1] + at) & (deferred.mask & kFullMask<Side::B>);
        return without_denormals(multiply_add(floats_of(a), floats_of(b), VectorF{}));
    }
    VectorF value = floats_of(widen_bfloat16(deferred.tile + at)) - splat(deferred.minus[row]);
    if constexpr (S != Step::Minus) {
        value = value * splat(deferred.times[row]);
    }
    if constexpr (S == Step::Weighted) {
        value = offset + value * weight;
    }
    return value;
}

template <Step S>
[[gnu::always_inline]] inline TwoRows<S> two_rows(const DeferredTile& deferred, uint32_t row) {
    TwoRows<S> values;
    for (uint32_t i = 0; i < kVectors; i++) {
        const auto weight = load<VectorF>(deferred.weight + i * kLanes),
                   offset = load<VectorF>(deferred.offset + i * kLanes);
        values.of[0][i] = value_at<S>(deferred, row, i, weight, offset);
        values.of[1][i] = value_at<S>(deferred, row + 1, i, weight, offset);
    }
    return values;
}

// sink(row, values of it and the next)
template <Step S, class Sink>
inline void for_each_two_rows(const DeferredTile& deferred, Sink sink) {
    for (uint32_t row = 0; row < 32; row += 2) {
        sink(row, two_rows<S>(deferred, row));
    }
}

template <class Body>
inline void with_step(const DeferredTile& deferred, Body body) {
    switch (deferred.last_step) {
        case Step::Minus: return body(std::integral_constant<Step, Step::Minus>{});
        case Step::Times: return body(std::integral_constant<Step, Step::Times>{});
        case Step::Weighted: return body(std::integral_constant<Step, Step::Weighted>{});
        case Step::Product: return body(std::integral_constant<Step, Step::Product>{});
    }
}

template <class Sink>
inline void for_each_two_rows(const DeferredTile& deferred, Sink sink) {
    with_step(deferred, [&]<Step S>(std::integral_constant<Step, S>) { for_each_two_rows<S>(deferred, sink); });
}

template <class Body>
inline void for_each_deferred(const ComputeState& state, Body body) {
    for (uint32_t left = state.scratch[kDstDeferred] & ~kKnowsOperands; left != 0; left &= left - 1) {
        body(static_cast<uint32_t>(std::countr_zero(left)));
    }
}

// Further steps are added only to a tile deferred up to exactly this step.
bool is_deferred_up_to(const ComputeState& state, uint32_t slot, Step step) {
    return slot < kDstSlots && state.phase != DstPhase::Idle && dst_is_deferred(state, slot) &&
           state.deferred[slot].last_step == step;
}

// The row that all rows of a slot repeat.
void take_row(const uint32_t* words, float* row) {
    std::memcpy(row, words, 16 * sizeof(float));
    std::memcpy(row + 16, words + kFaceElements, 16 * sizeof(float));
}

}  // namespace

void write_deferred(const DeferredTile& deferred, uint32_t* words) {
    for_each_two_rows(deferred, [words](uint32_t row, const auto& values) {
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t i = 0; i < kVectors; i++) {
                store(words + place(row + r, i), bits_of(values.of[r][i]));
            }
        }
    });
}

// Whether a source tile of the slot overlaps these bytes.
static bool comes_from(const DeferredTile& deferred, uint64_t address, uint64_t bytes) {
    const auto is_in = [=](const auto* tile) {
        const auto begin = reinterpret_cast<uintptr_t>(tile);
        return begin < address + bytes && address < begin + kTileElements * sizeof *tile;
    };
    return deferred.last_step == Step::Product ? is_in(deferred.factors[0]) || is_in(deferred.factors[1])
                                               : is_in(deferred.tile);
}

void materialize_in(ComputeState& state, uint64_t address, uint64_t bytes) {
    for_each_deferred(state, [&](uint32_t slot) {
        if (comes_from(state.deferred[slot], address, bytes)) {
            fill_dst(state, slot);
        }
    });
    forget_operands_in(state, address, bytes);
}

void materialize_all(ComputeState& state) {
    for_each_deferred(state, [&state](uint32_t slot) { fill_dst(state, slot); });
    forget_operands(state);
}

bool defer_product(ComputeState& state, uint32_t a, uint32_t b, uint32_t out) {
    if (a != out || !is_deferred_up_to(state, a, Step::Minus) || b >= kDstSlots || !dst_columns_repeat(state, b)) {
        return false;
    }
    DeferredTile& deferred = state.deferred[a];
    std::memcpy(deferred.times, state.dst[b], sizeof deferred.times);
    deferred.last_step = Step::Times;
    return true;
}

bool defer_weighted(ComputeState& state, uint32_t a, uint32_t b, uint32_t c, uint32_t out) {
    if (b != out || !is_deferred_up_to(state, b, Step::Times) || a >= kDstSlots || c >= kDstSlots ||
        !dst_rows_repeat(state, a) || !dst_rows_repeat(state, c)) {
        return false;
    }
    DeferredTile& deferred = state.deferred[b];
    take_row(state.dst[a], deferred.offset);
    take_row(state.dst[c], deferred.weight);
    deferred.last_step = Step::Weighted;
    return true;
}

bool add_deferred_square(ComputeState& state, uint32_t a, uint32_t b, uint32_t c, uint32_t out) {
    if (a != out || b != c || a == b || a >= state.dst_capacity() || !is_deferred_up_to(state, b, Step::Minus)) {
        return false;
    }
    uint32_t* sums = dst_words(state, a);
    for_each_two_rows<Step::Minus>(state.deferred[b], [sums](uint32_t row, const auto& values) {
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t i = 0; i < kVectors; i++) {
                uint32_t* at = sums + place(row + r, i);
                const VectorF value = values.of[r][i];
                store(at, bits_of(load<VectorF>(at) + value * value));
            }
        }
    });
    return true;
}

uint32_t deferred_run(const ComputeState& state, uint32_t slot, uint32_t count) {
    uint32_t alike = 0;
    while (alike < count && slot + alike < kDstSlots && dst_is_deferred(state, slot + alike) &&
           state.deferred[slot + alike].last_step == state.deferred[slot].last_step) {
        alike++;
    }
    return alike;
}

template <Step S, bool Rounds>
static void pack_tile_of(const DeferredTile& deferred, uint8_t* bytes) {
    for_each_two_rows<S>(deferred, [bytes](uint32_t row, const auto& values) {
        for (uint32_t i = 0; i < kVectors; i += kRowVectors) {
            if constexpr (kRowVectors == 1) {
                values.template pack<Rounds, 0, 1>(i, i, bytes + 2 * place(row, i));
            } else {
                for (uint32_t j = i; j < i + kRowVectors; j += 2) {
                    values.template pack<Rounds, 0, 0>(j, j + 1, bytes + 2 * place(row, j));
                    values.template pack<Rounds, 1, 1>(j, j + 1, bytes + 2 * place(row + 1, j));
                }
            }
        }
    });
}

void pack_deferred_tile(const DeferredTile& deferred, uint8_t* bytes) {
    const bool rounds = values_round(deferred);
    with_step(deferred, [&]<Step S>(std::integral_constant<Step, S>) {
        rounds ? pack_tile_of<S, true>(deferred, bytes) : pack_tile_of<S, false>(deferred, bytes);
    });
}

// Neighbouring tiles are packed row by row, so that a row's lines are written together. The lines two rows further down
// are prefetched: rows often lie a power of two apart, so more would evict each other.
template <Step S, bool Rounds>
static void pack_rows_of(const DeferredTile* deferred, uint32_t count, uint8_t* bytes, size_t row_bytes) {
    constexpr uint32_t kBytes = 32 * sizeof(uint16_t);  // of a row of one tile
    for (uint32_t row = 0; row < 32; row += 2) {
        for (uint32_t tile = 0; tile < count; tile++) {
            uint8_t *upper = bytes + row * row_bytes + tile * kBytes, *lower = upper + row_bytes;
            __builtin_prefetch(upper + 2 * row_bytes, 1);
            __builtin_prefetch(lower + 2 * row_bytes, 1);
            const TwoRows<S> values = two_rows<S>(deferred[tile], row);
            for (uint32_t i = 0; i < kVectors; i += 2) {
                values.template pack<Rounds, 0, 0>(i, i + 1, upper + i * kLanes * sizeof(uint16_t));
                values.template pack<Rounds, 1, 1>(i, i + 1, lower + i * kLanes * sizeof(uint16_t));
            }
        }
    }
}

void pack_deferred_rows(const DeferredTile* deferred, uint32_t count, uint8_t* bytes, size_t row_bytes) {
    bool rounds = true;
    for (uint32_t tile = 0; tile < count; tile++) {
        rounds = rounds && values_round(deferred[tile]);
    }
    with_step(*deferred, [=]<Step S>(std::integral_constant<Step, S>) {
        rounds ? pack_rows_of<S, true>(deferred, count, bytes, row_bytes)
               : pack_rows_of<S, false>(deferred, count, bytes, row_bytes);
    });
}

}  // namespace tw
