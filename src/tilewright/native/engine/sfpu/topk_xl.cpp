// SPDX-License-Identifier: Apache-2.0
// Top-k of long rows: sequences of 512, 1024 or 2048 words, over half a tile of DST, one tile or two.
//
// A sequence runs down the first column of its rows of sixteen words, then down the next. A fused word is a bfloat16
// with the 16 bits of its origin below it, so no two words are equal and every sort gives the same result. After the
// split, values are stored by themselves and their indices one sequence further on. The order of equal values is then
// the network's: a pair is swapped only if it must be.
//
// An origin is written as coordinates in its tile; a row of data lies in DST in the order of DST's words.
#include <algorithm>

#include "abi/sfpu.h"
#include "check/values/values.h"
#include "instruction_values.h"
#include "registers.h"

namespace tw::sfpu {
namespace {

constexpr uint32_t kRowWords = 16, kFaceWords = 256, kMostWords = 2048;
constexpr uint32_t kIndexMask = 0xffff, kChunkShift = 11, kChunkMask = 31;

uint32_t tiles_of(uint32_t length) { return length > kTileElements ? 2 : 1; }

// A sequence that begins in tile `dst`.
struct Run {
    uint32_t* tile[2];
    uint32_t length;

    Run(uint32_t dst, uint32_t length) : tile{dst_for_sfpu(dst), nullptr}, length(length) {
        tile[1] = length > kTileElements ? dst_for_sfpu(dst + 1) : nullptr;
    }
    // In the order of DST.
    uint32_t& word(uint32_t offset) const { return tile[offset / kTileElements][offset % kTileElements]; }
    // In the order of the sequence.
    uint32_t& at(uint32_t position) const {
        const uint32_t rows = length / kRowWords;
        return word(position % rows * kRowWords + position / rows);
    }
};

void sort_positions(const Run& run, uint32_t begin, uint32_t end, bool ascending) {
    uint32_t words[kMostWords];
    for (uint32_t i = begin; i < end; i++) {
        words[i] = run.at(i);
    }
    std::sort(words + begin, words + end, [&](uint32_t a, uint32_t b) {
        return ascending ? order(a) < order(b) : order(b) < order(a);
    });
    for (uint32_t i = begin; i < end; i++) {
        run.at(i) = words[i];
    }
}

// Coordinates in a stamp: column at 10:6, tile at 5, row at 4:0. `offset` is a place in DST.
uint32_t coordinates(uint32_t offset) {
    const uint32_t face = offset / kFaceWords % 4, row = face / 2 * 16 + offset / kRowWords % 16;
    return (face % 2 * 16 + offset % kRowWords) << 6 | offset / kTileElements << 5 | row;
}
uint32_t offset_at(uint32_t stamp, uint32_t length) {
    const uint32_t column = stamp >> 6 & 31, row = stamp & 31, tile = length > kTileElements ? stamp >> 5 & 1 : 0;
    return tile * kTileElements + element(row, column);
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

void tw_sfpu_topk_xl_stamp(uint32_t dst, uint32_t length, uint32_t chunk, uint32_t in_dst_order) {
    TW_VECTOR_CALL
    const Run run(dst, length);
    for (uint32_t i = 0; i < length; i++) {
        run.word(i) |= (chunk & kChunkMask) << kChunkShift | (in_dst_order ? i : coordinates(i));
    }
}

void tw_sfpu_topk_xl_sort(uint32_t dst, uint32_t length, uint32_t ascending) {
    TW_VECTOR_CALL
    const Run run(dst, length);
    taint_sequence_mixed(compute_state(), dst, tiles_of(length));
    sort_positions(run, 0, length, ascending != 0);
}

// Sorts the columns of a tile's 64 rows separately, those of the second tile in reverse.
void tw_sfpu_topk_xl_sort_columns(uint32_t dst, uint32_t length, uint32_t ascending) {
    constexpr uint32_t kColumn = 64;
    TW_VECTOR_CALL
    const Run run(dst, length);
    taint_sequence_mixed(compute_state(), dst, tiles_of(length));
    for (uint32_t begin = 0; begin < length; begin += kColumn) {
        const bool second_tile = length > kTileElements && begin / kColumn % 2 != 0;
        sort_positions(run, begin, begin + kColumn, (ascending != 0) != second_tile);
    }
}

// Of each pair of places the first sequence keeps the larger. The rest of a fused pair is not stored.
void tw_sfpu_topk_xl_merge(uint32_t dst, uint32_t length, uint32_t fused) {
    TW_VECTOR_CALL
    const uint32_t tiles = tiles_of(length);
    const Run kept(dst, length), other(dst + (fused ? 1 : 2) * tiles, length);
    taint_sequence_mixed(compute_state(), dst, (fused ? 2 : 4) * tiles);
    if (fused) {
        for (uint32_t i = 0; i < length; i++) {
            kept.word(i) = order(kept.word(i)) < order(other.word(i)) ? other.word(i) : kept.word(i);
        }
        return;
    }
    const Run kept_indices(dst + tiles, length), other_indices(dst + 3 * tiles, length);
    for (uint32_t i = 0; i < length; i++) {
        if (order(kept.word(i)) < order(other.word(i))) {
            std::swap(kept.word(i), other.word(i));
            std::swap(kept_indices.word(i), other_indices.word(i));
        }
    }
}

// What a merge leaves is bitonic, so one pass of the network over falling distances sorts it.
void tw_sfpu_topk_xl_rebuild(uint32_t dst, uint32_t length, uint32_t ascending, uint32_t fused) {
    TW_VECTOR_CALL
    const uint32_t tiles = tiles_of(length);
    const Run values(dst, length), indices(fused ? dst : dst + tiles, length);
    taint_sequence_mixed(compute_state(), dst, (fused ? 1 : 2) * tiles);
    for (uint32_t distance = length / 2; distance > 0; distance /= 2) {
        for (uint32_t i = 0; i < length; i++) {
            uint32_t &first = values.at(i), &second = values.at(i | distance);
            if ((i & distance) == 0 && (ascending ? order(second) < order(first) : order(first) < order(second))) {
                std::swap(first, second);
                if (!fused) {
                    std::swap(indices.at(i), indices.at(i | distance));
                }
            }
        }
    }
}

// Splits values from their origins: an offset in DST's order plus chunk_length per chunk, or the stamp itself.
void tw_sfpu_topk_xl_split(uint32_t dst, uint32_t length, uint32_t in_dst_order, uint32_t chunk_length, uint32_t base) {
    TW_VECTOR_CALL
    const uint32_t tiles = tiles_of(length);
    const Run values(dst, length), indices(dst + tiles, length);
    taint_sequence_mixed(compute_state(), dst, 2 * tiles);
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t stamp = values.word(i) & kIndexMask;
        const uint32_t chunk = (stamp >> kChunkShift) * chunk_length;
        indices.word(i) = (in_dst_order ? offset_at(stamp, length) | chunk : stamp) | base;
        values.word(i) &= ~kIndexMask;
    }
}

void tw_sfpu_topk_xl_remove_values(uint32_t dst, uint32_t length) {
    TW_VECTOR_CALL
    const Run run(dst, length);
    for (uint32_t i = 0; i < length; i++) {
        run.word(i) &= kIndexMask;
    }
}
}
