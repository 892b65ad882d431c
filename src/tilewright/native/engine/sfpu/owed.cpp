// SPDX-License-Identifier: Apache-2.0
// The loops over owed tiles (tile/owed.h). They are compiled as the vector unit's functions are, whose sums and products
// they do: a product that is added to something is fused with the sum, or is not, in both.
#include "../tile/owed.h"

#include <bit>
#include <cstring>

#include "../tile/packed_pair.h"

namespace tw {

namespace {

using Step = OwedTile::Step;

constexpr uint32_t kVectors = 2 * kRowVectors;  // of a row of the tile

// Where vector i of a row lies in the tile.
constexpr uint32_t place(uint32_t row, uint32_t i) {
    return (row / 16 * 2 + i / kRowVectors) * kFaceElements + row % 16 * 16 + i % kRowVectors * kLanes;
}

struct TwoRows {
    VectorF of[2][kVectors];
};

// sink(row, values of it and the next)
template <Step S, class Sink>
inline void for_each_two_rows(const OwedTile& owed, Sink sink) {
    VectorF weight[kVectors], offset[kVectors];
    for (uint32_t i = 0; i < kVectors; i++) {
        weight[i] = load<VectorF>(owed.weight + i * kLanes);
        offset[i] = load<VectorF>(owed.offset + i * kLanes);
    }
    const uint16_t* tile = owed.tile;
    for (uint32_t first = 0; first < 32; first += 2) {
        TwoRows values;
        for (uint32_t r = 0; r < 2; r++) {
            const uint32_t row = first + r;
            for (uint32_t i = 0; i < kVectors; i++) {
                VectorF value = floats_of(widen_bfloat16(tile + place(row, i))) - splat(owed.minus[row]);
                if constexpr (S != Step::Minus) {
                    value = value * splat(owed.times[row]);
                }
                if constexpr (S == Step::Weighted) {
                    value = offset[i] + value * weight[i];
                }
                values.of[r][i] = value;
            }
        }
        sink(first, values);
    }
}

template <class Sink>
inline void for_each_two_rows(const OwedTile& owed, Sink sink) {
    switch (owed.last_step) {
        case Step::Minus: return for_each_two_rows<Step::Minus>(owed, sink);
        case Step::Times: return for_each_two_rows<Step::Times>(owed, sink);
        case Step::Weighted: return for_each_two_rows<Step::Weighted>(owed, sink);
    }
}

inline void pack_two(VectorF first, VectorF second, uint8_t* bytes) {
    pack_pair<true>(bits_of(first), bits_of(second), bytes);
}

template <class Body>
inline void for_each_owed(const ComputeState& state, Body body) {
    for (uint32_t left = state.scratch[kDstOwed]; left != 0; left &= left - 1) {
        body(static_cast<uint32_t>(std::countr_zero(left)));
    }
}

// A note changes only while it says so much and no more.
bool is_owed_up_to(const ComputeState& state, uint32_t slot, Step step) {
    return slot < kDstSlots && state.phase != DstPhase::Idle && dst_is_owed(state, slot) &&
           state.owed[slot].last_step == step;
}

// The row that all rows of a slot repeat.
void take_row(const uint32_t* words, float* row) {
    std::memcpy(row, words, 16 * sizeof(float));
    std::memcpy(row + 16, words + kFaceElements, 16 * sizeof(float));
}

}  // namespace

void write_owed(const OwedTile& owed, uint32_t* words) {
    for_each_two_rows(owed, [words](uint32_t row, const TwoRows& values) {
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t i = 0; i < kVectors; i++) {
                store(words + place(row + r, i), bits_of(values.of[r][i]));
            }
        }
    });
}

void settle_owed_in(ComputeState& state, uint64_t address, uint64_t bytes) {
    constexpr uint64_t kBytes = kTileElements * sizeof(uint16_t);
    for_each_owed(state, [&](uint32_t slot) {
        const auto tile = reinterpret_cast<uintptr_t>(state.owed[slot].tile);
        if (tile < address + bytes && address < tile + kBytes) {
            fill_dst(state, slot);
        }
    });
}

void settle_all_owed(ComputeState& state) {
    for_each_owed(state, [&state](uint32_t slot) { fill_dst(state, slot); });
}

bool owes_product(ComputeState& state, uint32_t a, uint32_t b, uint32_t out) {
    if (a != out || !is_owed_up_to(state, a, Step::Minus) || b >= kDstSlots || !dst_columns_repeat(state, b)) {
        return false;
    }
    OwedTile& owed = state.owed[a];
    std::memcpy(owed.times, state.dst[b], sizeof owed.times);
    owed.last_step = Step::Times;
    return true;
}

bool owes_weighted(ComputeState& state, uint32_t a, uint32_t b, uint32_t c, uint32_t out) {
    if (b != out || !is_owed_up_to(state, b, Step::Times) || a >= kDstSlots || c >= kDstSlots ||
        !dst_rows_repeat(state, a) || !dst_rows_repeat(state, c)) {
        return false;
    }
    OwedTile& owed = state.owed[b];
    take_row(state.dst[a], owed.offset);
    take_row(state.dst[c], owed.weight);
    owed.last_step = Step::Weighted;
    return true;
}

bool added_owed_square(ComputeState& state, uint32_t a, uint32_t b, uint32_t c, uint32_t out) {
    if (a != out || b != c || a == b || a >= state.dst_capacity() || !is_owed_up_to(state, b, Step::Minus)) {
        return false;
    }
    uint32_t* sums = dst_words(state, a);
    for_each_two_rows<Step::Minus>(state.owed[b], [sums](uint32_t row, const TwoRows& values) {
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

void pack_owed_tile(const OwedTile& owed, uint8_t* bytes) {
    for_each_two_rows(owed, [bytes](uint32_t row, const TwoRows& values) {
        for (uint32_t i = 0; i < kVectors; i += kRowVectors) {
            if constexpr (kRowVectors == 1) {
                pack_two(values.of[0][i], values.of[1][i], bytes + 2 * place(row, i));
            } else {
                for (uint32_t r = 0; r < 2; r++) {
                    for (uint32_t j = i; j < i + kRowVectors; j += 2) {
                        pack_two(values.of[r][j], values.of[r][j + 1], bytes + 2 * place(row + r, j));
                    }
                }
            }
        }
    });
}

void pack_owed_rows(const OwedTile& owed, uint8_t* bytes, size_t row_bytes) {
    for_each_two_rows(owed, [bytes, row_bytes](uint32_t row, const TwoRows& values) {
        for (uint32_t r = 0; r < 2; r++) {
            uint8_t* to = bytes + (row + r) * row_bytes;
            __builtin_prefetch(to + kPackAhead, 1);
            for (uint32_t i = 0; i < kVectors; i += 2) {
                pack_two(values.of[r][i], values.of[r][i + 1], to + i * kLanes * sizeof(uint16_t));
            }
        }
    });
}

}  // namespace tw
