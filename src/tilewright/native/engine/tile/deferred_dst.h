// SPDX-License-Identifier: Apache-2.0
// Deferred DST tiles: lazy evaluation of chains of tile calls, from L1 to L1.
//
// A normalisation subtracts a column from a tile, multiplies the difference by another column, then by a row, adds a
// row, and packs. Call by call, each writes a tile of DST that only the next one reads. So the subtraction only records
// its operands (DeferredTile), the calls that often follow add their rows and columns to that record, and the packer,
// or a sum of squares, computes the whole chain in registers. A product of two tiles, which is often packed at once, is
// recorded likewise. The arithmetic is that of the calls, step by step in the same order, so the results are the same
// to the bit. Any other access to the slot (dst_words) writes its words first: the tile is materialized.
//
// A deferred tile refers to a tile in L1, so it is materialized before that can change: before other kernels run
// (Scheduler::suspend), and before the packer writes into a circular buffer that the tile lies in. Nothing is deferred
// in checked runs, whose rules follow each call, where threads are split, and in 16-bit DST, which rounds each step.
#pragma once

#include <cstdint>

#include "abi/tile.h"
#include "dst.h"
#include "run/threads.h"
#include "unpack.h"

namespace tw {

inline bool is_square_tile(const TileGeometry& geometry) {
    return geometry.num_faces == 4 && geometry.face_rows == 16 && geometry.tile_cols == 32;
}

// Whether the calling kernel may defer tiles.
inline bool may_defer(const ComputeState& state) {
#if defined(__x86_64__) || defined(__aarch64__)  // where the processor flushes denormals
    const KernelInstance& instance = current_instance();
    return state.fp32_dest && !state.taints && instance.split == nullptr && instance.sources == nullptr;
#else
    return false;
#endif
}

void write_deferred(const DeferredTile& deferred, uint32_t* words);
// Materializes the slots whose tiles lie in these bytes of L1, before they change, and forgets what was read there; or
// all of it.
void materialize_in(ComputeState& state, uint64_t address, uint64_t bytes);
void materialize_all(ComputeState& state);
inline void materialize(ComputeState& state) {
    if (state.scratch[kDstDeferred] != 0) [[unlikely]] {
        materialize_all(state);
    }
}

// Defer a binary operation of two operands: a tile of bfloat16s minus a column, and a product of two tiles of float32s in
// all four fidelity phases. False: the operation is another, or must be carried out at once.
bool defer_difference(
    ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    const Operand& a,
    const Operand& b,
    uint32_t dst,
    const char* call);
bool defer_tile_product(
    ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    const Operand& a,
    const Operand& b,
    uint32_t dst,
    const char* call);

// Calls of the vector unit on whole tiles. False: not deferred, the call is carried out as usual.
bool defer_product(ComputeState& state, uint32_t a, uint32_t b, uint32_t out);  // out = a * b
bool defer_weighted(ComputeState& state, uint32_t a, uint32_t b, uint32_t c, uint32_t out);  // out = a + b * c
bool add_deferred_square(
    ComputeState& state, uint32_t a, uint32_t b, uint32_t c, uint32_t out);  // the same with b == c

// Number of consecutive slots from `slot` on that are deferred at the same step; at most `count`.
uint32_t deferred_run(const ComputeState& state, uint32_t slot, uint32_t count);
// Pack as bfloat16: one tile, or the 32 rows of neighbouring tiles deferred at the same step.
void pack_deferred_tile(const DeferredTile& deferred, uint8_t* bytes);
void pack_deferred_rows(const DeferredTile* deferred, uint32_t count, uint8_t* bytes, size_t row_bytes);

}  // namespace tw
