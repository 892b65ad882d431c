// SPDX-License-Identifier: Apache-2.0
// Access to the destination registers: who may touch them when, which slots exist, which hold less than they read as.
//
// A slot that a release cleared, that a row or column was broadcast to, or that has only sums of rows, is not written
// whole at once: a bit says what it reads as, and most such slots are gone before anybody reads them word by word. Nor is
// a slot written of which it is enough to know how its value comes about (deferred_dst.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core.h"

namespace tw {

// Use of ComputeState::scratch by the tile maths.
enum ScratchWord : uint32_t {
    kDstCleared,  // bit per slot: it reads as zero whatever its memory holds
    kDstRowBroadcast,  // bit per slot: every row reads as row 0, the only one its memory holds
    kDstColumnBroadcast,  // bit per slot: every column reads as the 32 words that are all its memory holds
    kDstColumnApart,  // bit per slot: column 0 is the 32 words its memory holds, the others read as zero
    kDstDeferred,  // bit per slot: its value is what ComputeState::deferred says
    kDstPackedEarly,  // bit per slot: packed before tile_regs_commit
    kPackSection,  // how far the packer is in a section the maths side still has
    kReduceMask,  // 0 none, else 1 + ReduceAxis
    kBinaryAccumulate,  // what binary init said
    kMatmulTranspose,  // what matmul init said
    kMatmulColumnStride,  // tiles from one column of b to the next; 0 means 1
    kMatmulFidelity,  // 0: ComputeState::fidelity
    kQueueAddress,  // tilized SrcA tiles not yet reduced: L1 address of the rows
    kQueueNext,
    kQueueTiles,
    kQueueCbA,
    kQueueCbB,
    kQueueTileB,
    kQueueFill,
    kQueueReloadsB,  // face 0 of the SrcB tile goes with every face of SrcA's
    kPackRows,  // rows tw_pack_rows writes
    kPackWidth,  // tiles that one tw_pack_tile writes; 0 means 1
    kReduceBlockTiles,  // tiles of a row that a block reduction takes
    kHasIntegers,  // a vector program has stored the lower half of its lanes in 16-bit DST
    kScratchWords,
};
static_assert(kScratchWords * sizeof(uint32_t) == sizeof(ComputeState::scratch));

// A card's 16-bit DST has a bfloat16 as sign, mantissa, exponent, and nothing tells it from an integer. A word here has the
// one in its upper half, in the order of L1, and the other in its lower.
inline uint32_t bfloat16_of_integer(uint32_t half) {
    return (half & 0x8000u) | (half & 0xffu) << 7 | (half >> 8 & 0x7fu);
}
inline uint32_t integer_of_bfloat16(uint32_t half) {
    return (half & 0x8000u) | (half & 0x7fu) << 8 | (half >> 7 & 0xffu);
}

// All slots read as zero.
void clear_dst(ComputeSettings& state);

// The packer has begun its section before tile_regs_commit.
bool packer_waits_for_commit(const ComputeSettings& state);
void forget_early_packing(ComputeSettings& state);
// Sections of the maths side that can be done and not yet packed.
inline uint32_t dst_halves(const ComputeSettings& state) { return state.full_sync ? 1 : 2; }
[[noreturn]] void missing_startup(const char* call);
[[noreturn]] void maths_without_dst(const ComputeState& state, const char* call);
// The compute state, once compute_kernel_hw_startup has run.
inline ComputeState& started_state(const char* call) {
    ComputeState& state = compute_state();
    if (!state.started) [[unlikely]] {
        missing_startup(call);
    }
    return state;
}
// The same for a call of the maths side: DST must be acquired and not yet committed.
inline ComputeState& math_state(const char* call) {
    ComputeState& state = started_state(call);
    if (state.phase != DstPhase::Acquired) [[unlikely]] {
        maths_without_dst(state, call);
    }
    return state;
}
// The same for a call of the packer: tile_regs_wait must have run.
ComputeState& pack_state(const char* call);
// The same for a call that takes and gives back DST by itself (tilize_block ...).
ComputeState& section_state(const char* call);

inline void check_slot(const ComputeState& state, uint32_t slot, const char* call) {
    if (slot >= state.dst_capacity()) [[unlikely]] {
        rule_error(
            "dst-index",
            "%s: DST tile %u, but DST has %u tiles (%s DST, %s sync)",
            call,
            slot,
            state.dst_capacity(),
            state.fp32_dest ? "32-bit" : "16-bit",
            state.full_sync ? "full" : "half");
    }
}

inline bool dst_reads_zero(const ComputeState& state, uint32_t slot) {
    return (state.scratch[kDstCleared] >> slot) & 1;
}

inline bool dst_rows_repeat(const ComputeState& state, uint32_t slot) {
    return (state.scratch[kDstRowBroadcast] >> slot) & 1;
}

inline bool dst_columns_repeat(const ComputeState& state, uint32_t slot) {
    return (state.scratch[kDstColumnBroadcast] >> slot) & 1;
}

inline bool dst_column_apart(const ComputeState& state, uint32_t slot) {
    return (state.scratch[kDstColumnApart] >> slot) & 1;
}

inline bool dst_is_deferred(const ComputeState& state, uint32_t slot) {
    return (state.scratch[kDstDeferred] >> slot) & 1;
}

// From here on the memory of the slot is all there is to it.
inline void forget_dst(ComputeState& state, uint32_t slot) {
    for (const ScratchWord word : {kDstCleared, kDstRowBroadcast, kDstColumnBroadcast, kDstColumnApart, kDstDeferred}) {
        state.scratch[word] &= ~(1u << slot);
    }
}

// Writes the slot as it reads.
void fill_dst(ComputeState& state, uint32_t slot);

// The words of a slot that exists, all of them as they read.
inline uint32_t* dst_words(ComputeState& state, uint32_t slot) {
    const uint32_t unwritten = state.scratch[kDstCleared] | state.scratch[kDstRowBroadcast] |
                               state.scratch[kDstColumnBroadcast] | state.scratch[kDstColumnApart] |
                               state.scratch[kDstDeferred];
    if ((unwritten >> slot) & 1) {
        fill_dst(state, slot);
    }
    return state.dst[slot];
}

inline void check_change(const ComputeState& state, uint32_t slot, const char* call) {
    check_slot(state, slot, call);
    if ((state.scratch[kDstPackedEarly] >> slot) & 1) [[unlikely]] {
        rule_error(
            "dst-protocol",
            "%s changes DST tile %u after pack_tile read it in the same section: a card packs only after "
            "tile_regs_commit and would pack the new value",
            call,
            slot);
    }
}

// The words of a slot that is going to be written whole.
inline uint32_t* dst_overwrite(ComputeState& state, uint32_t slot, const char* call) {
    check_change(state, slot, call);
    forget_dst(state, slot);
    return state.dst[slot];
}

// The same for a slot whose rows are all going to read as row 0: only that one is to be written, in the upper faces.
inline uint32_t* dst_broadcast_row(ComputeState& state, uint32_t slot, const char* call) {
    uint32_t* words = dst_overwrite(state, slot, call);
    state.scratch[kDstRowBroadcast] |= 1u << slot;
    return words;
}

// The same for a slot whose columns are all going to read as one: 32 words, by row.
inline uint32_t* dst_broadcast_column(ComputeState& state, uint32_t slot, const char* call) {
    uint32_t* words = dst_overwrite(state, slot, call);
    state.scratch[kDstColumnBroadcast] |= 1u << slot;
    return words;
}

// The 32 words of a slot that has at most a column 0, which is going to change.
inline uint32_t* dst_update_column(ComputeState& state, uint32_t slot, const char* call) {
    check_change(state, slot, call);
    if (dst_reads_zero(state, slot)) {
        std::fill_n(state.dst[slot], 32, 0u);
        forget_dst(state, slot);
        state.scratch[kDstColumnApart] |= 1u << slot;
    }
    return state.dst[slot];
}

// The same for a slot that is going to be owed its value.
inline DeferredTile& defer_dst(ComputeState& state, uint32_t slot, const char* call) {
    dst_overwrite(state, slot, call);
    state.scratch[kDstDeferred] |= 1u << slot;
    return state.deferred[slot];
}

// The words of a slot to be read and changed, or written in part.
inline uint32_t* dst_update(ComputeState& state, uint32_t slot, const char* call) {
    check_change(state, slot, call);
    return dst_words(state, slot);
}

// The packer begins with a slot.
inline void dst_begin_pack(ComputeState& state, uint32_t slot, const char* call) {
    check_slot(state, slot, call);
    if (state.phase == DstPhase::Acquired) {
        state.scratch[kDstPackedEarly] |= 1u << slot;
    }
}

// What it packs; nullptr when the slot reads as zero.
inline const uint32_t* dst_packed_words(ComputeState& state, uint32_t slot) {
    return dst_reads_zero(state, slot) ? nullptr : dst_words(state, slot);
}

inline const uint32_t* dst_read(ComputeState& state, uint32_t slot, const char* call) {
    dst_begin_pack(state, slot, call);
    return dst_packed_words(state, slot);
}

}  // namespace tw
