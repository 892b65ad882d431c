// SPDX-License-Identifier: Apache-2.0
// The sorting network of top-k. Every column holds a sequence of 64: the rows of the tile at dst, then those of the
// next. The indices move along with it, two tiles further on. The order of ties without a stable sort is not the
// hardware's.
//
// Two variants order ties without comparing indices. They put a tag into the low bits of a value, where a bfloat16 has
// none: its index (a fused key: the index tiles then do not move), or its rank in the sequence, stamped before each
// sort and merge. Among positive keys the larger word comes first, so with the largest first the tag is complemented in
// positive values, with the smallest first in negative ones.
#include <algorithm>

#include "abi/sfpu.h"
#include "check/values/values.h"
#include "registers.h"

namespace tw::sfpu {
namespace {

enum TieOrder : uint32_t { kUnset = 0, kAscending = 1, kDescending = 2, kFusedKeys = 3 };

constexpr uint32_t kLow16 = 0xffff;
constexpr uint32_t kLength = 64;  // of a sequence

// `tag` in the low bits of a value, so that equal values sort by it.
uint32_t tagged(uint32_t value, uint32_t tag, uint32_t mask, bool largest) {
    const bool is_negative = value >> 31 != 0;
    return (value & ~mask) | (is_negative != largest ? tag ^ mask : tag);
}

// One column of the value and index tiles.
struct Sequence {
    uint32_t* value[64];
    uint32_t* index[64];
    uint32_t tie_order;

    static int32_t key(uint32_t bits) { return int32_t(bits) ^ int32_t(uint32_t(int32_t(bits) >> 31) >> 1); }

    bool less(uint32_t a, uint32_t b) const {
        int32_t key_a = key(*value[a]), key_b = key(*value[b]);
        if (key_a != key_b || tie_order == kUnset || tie_order == kFusedKeys) {
            return key_a < key_b;
        }
        return tie_order == kAscending ? *index[a] < *index[b] : *index[a] > *index[b];
    }
    // The smaller one first, or the larger one.
    void order(uint32_t first, uint32_t second, bool ascending) {
        if (ascending ? less(second, first) : less(first, second)) {
            std::swap(*value[first], *value[second]);
            if (tie_order != kFusedKeys) {
                std::swap(*index[first], *index[second]);
            }
        }
    }
    // One step of the network over positions [begin, end): pairs `distance` apart.
    void step(uint32_t begin, uint32_t end, uint32_t distance, bool ascending) {
        for (uint32_t i = begin; i < end; ++i) {
            if (((i - begin) & distance) == 0 && i + distance < end) {
                order(i, i + distance, ascending);
            }
        }
    }
};

// `run`: elements do not move between runs of this length.
template <class Body>
void for_columns(uint32_t dst, uint32_t tie_order, uint32_t run, Body body) {
    uint32_t* value_tiles[] = {dst_for_sfpu(dst), dst_for_sfpu(dst + 1)};
    uint32_t* index_tiles[] = {dst_for_sfpu(dst + 2), dst_for_sfpu(dst + 3)};
    taint_columns_mixed(compute_state(), dst, run);
    Sequence sequence;
    sequence.tie_order = tie_order;
    for (uint32_t column = 0; column < 32; ++column) {
        for (uint32_t i = 0; i < 64; ++i) {
            sequence.value[i] = &value_tiles[i / 32][element(i % 32, column)];
            sequence.index[i] = &index_tiles[i / 32][element(i % 32, column)];
        }
        body(sequence);
    }
}

constexpr DataRange kWholeTile[] = {{0, kTileElements}};

// Runs of k that lie `distance` apart are merged in pairs: body(begin of the first, position in it, position in the
// second).
template <class Body>
void for_pairs_of_runs(int32_t m_iter, int32_t k, Body body) {
    const uint32_t run = uint32_t(std::min(k, 32));
    const uint32_t distance = std::min(run << m_iter, 32u);
    const uint32_t total = std::max(2 * run, 64u >> m_iter);
    uint32_t compared = 0;
    for (uint32_t begin = 0; compared < total && begin + distance + run <= 64; begin += 2 * distance) {
        for (uint32_t i = begin; i < begin + run; ++i) {
            body(begin, i, i + distance);
        }
        compared += 2 * run;
    }
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

// Phase p makes sorted runs of 2^(p+1), directions alternating. A late phase called by itself does only the requested
// steps (a step s compares 2^(s-1) apart) and always the last four.
void tw_sfpu_topk_local_sort(
    uint32_t dst,
    uint32_t ascending,
    int32_t end_phase,
    int32_t start_phase,
    int32_t end_step,
    int32_t start_step,
    uint32_t tie_order) {
    TW_VECTOR_CALL
    for_columns(dst, tie_order, std::min(2u << end_phase, kLength), [&](Sequence& sequence) {
        for (int32_t phase = start_phase; phase <= end_phase; ++phase) {
            const bool chosen_steps = start_phase == end_phase && phase >= 4;
            const uint32_t run = 2u << phase;
            for (uint32_t begin = 0; begin < 64; begin += run) {
                bool direction = (ascending != 0) != (((begin / run) & 1) != 0);
                int32_t first = chosen_steps ? start_step : phase + 1;
                int32_t last = chosen_steps ? std::max(end_step, 4) : 0;
                for (int32_t s = first; s > last; --s) {
                    sequence.step(begin, std::min(begin + run, 64u), 1u << (s - 1), direction);
                }
                for (int32_t s = chosen_steps ? 4 : 0; s > 0; --s) {
                    sequence.step(begin, std::min(begin + run, 64u), 1u << (s - 1), direction);
                }
            }
        }
    });
}

// The first of two runs takes the larger (or smaller) of each pair.
void tw_sfpu_topk_merge(uint32_t dst, int32_t m_iter, int32_t k, uint32_t ascending, uint32_t tie_order) {
    TW_VECTOR_CALL
    for_columns(dst, tie_order, kLength, [&](Sequence& sequence) {
        for_pairs_of_runs(m_iter, k, [&](uint32_t begin, uint32_t first, uint32_t second) {
            sequence.order(first, second, ascending != 0);
        });
    });
}

// The second run lies in the other direction, and behind the first.
void tw_sfpu_topk_stamp_runs(uint32_t dst, int32_t m_iter, int32_t k, uint32_t largest, uint32_t tag_bits) {
    TW_VECTOR_CALL
    const uint32_t mask = (1u << tag_bits) - 1;
    for_columns(dst, kUnset, kLength, [&](Sequence& sequence) {
        for_pairs_of_runs(m_iter, k, [&](uint32_t begin, uint32_t first, uint32_t second) {
            const uint32_t rank = first - begin, last = 2 * uint32_t(k) - 1;
            *sequence.value[first] = tagged(*sequence.value[first], rank, mask, largest != 0);
            *sequence.value[second] = tagged(*sequence.value[second], last ^ rank, mask, largest != 0);
        });
    });
}

void tw_sfpu_topk_stamp_tile(uint32_t dst, uint32_t rank_base, uint32_t largest, uint32_t tag_bits) {
    TW_VECTOR_CALL
    uint32_t* tile = dst_for_sfpu(dst);
    const uint32_t mask = (1u << tag_bits) - 1;
    for (uint32_t row = 0; row < 32; ++row) {
        for (uint32_t column = 0; column < 32; ++column) {
            uint32_t& word = tile[element(row, column)];
            const uint32_t value = word & ~mask;
            word = tagged(value << 1 == 0 ? 0 : value, rank_base + row, mask, largest != 0);
        }
    }
}

void tw_sfpu_topk_fuse(uint32_t dst, uint32_t largest) {
    TW_VECTOR_CALL
    for (uint32_t slot : {dst, dst + 1}) {
        uint32_t* values = dst_for_sfpu(slot);
        const uint32_t* indices = dst_for_sfpu(slot + 2);
        taint_vector_binary(compute_state(), slot, slot + 2, slot, kWholeTile, 1);
        for (uint32_t i = 0; i < kTileElements; ++i) {
            values[i] |= tagged(values[i] & 0x80000000u, indices[i] & kLow16, kLow16, largest != 0);
        }
    }
}

void tw_sfpu_topk_defuse(uint32_t dst, uint32_t num_tiles, uint32_t largest) {
    TW_VECTOR_CALL
    for (uint32_t slot = dst; slot < dst + num_tiles; ++slot) {
        uint32_t* values = dst_for_sfpu(slot);
        uint32_t* indices = dst_for_sfpu(slot + 2);
        taint_vector_binary(compute_state(), slot, slot, slot + 2, kWholeTile, 1);
        for (uint32_t i = 0; i < kTileElements; ++i) {
            indices[i] = tagged(values[i], values[i] & kLow16, kLow16, largest != 0) & kLow16;
            values[i] &= ~kLow16;
        }
    }
}

// The runs that kept the top k are bitonic: sorted again, directions alternating.
void tw_sfpu_topk_rebuild(
    uint32_t dst,
    uint32_t ascending,
    int32_t m_iter,
    int32_t k,
    int32_t log_k,
    int32_t skip_second,
    uint32_t tie_order) {
    TW_VECTOR_CALL
    const uint32_t run = uint32_t(k);
    const uint32_t distance = k >= 64 ? 64u : std::max(run, std::min(run << (m_iter + 1), 32u));
    const uint32_t end = skip_second & 1 ? 32u : 64u;
    for_columns(dst, tie_order, kLength, [&](Sequence& sequence) {
        bool direction = ascending != 0;
        for (uint32_t begin = 0; begin < end; begin += distance, direction = !direction) {
            for (int32_t s = log_k; s > 0; --s) {
                sequence.step(begin, std::min(begin + run, 64u), 1u << (s - 1), direction);
            }
        }
    });
}

void tw_sfpu_topk_canonicalize_zeros(uint32_t dst) {
    TW_VECTOR_CALL
    for (uint32_t slot : {dst, dst + 1}) {
        uint32_t* tile = dst_for_sfpu(slot);
        for (uint32_t i = 0; i < kTileElements; ++i) {
            tile[i] = tile[i] == 0x80000000u ? 0 : tile[i];
        }
    }
}
}
