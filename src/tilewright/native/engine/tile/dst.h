// SPDX-License-Identifier: Apache-2.0
// Access to the destination registers: when each side may touch them, which slots exist, and slots that are not stored
// in full.
//
// A slot that a release cleared, that a row or column was broadcast to, or that has only row sums, is not written in
// full: a bit tells how it reads, and most such slots are overwritten before they are read word by word. A deferred
// slot is not written at all (deferred_dst.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core.h"

namespace tw {

// Words of ComputeState::scratch used by tile math.
enum ScratchWord : uint32_t {
    kDstCleared,  // bit per slot: it reads as zero whatever its memory holds
    kDstRowBroadcast,  // bit per slot: every row reads as row 0, the only one stored
    kDstColumnBroadcast,  // bit per slot: every column reads as the 32 stored words
    kDstColumnApart,  // bit per slot: column 0 reads as the 32 stored words, the others as zero
    kDstDeferred,  // bit per slot: the value is ComputeState::deferred; and kKnowsOperands
    kDstPackedEarly,  // bit per slot: packed before tile_regs_commit
    kPackSection,  // progress of a packer that packs before the math side commits
    kReduceMask,  // 0 none, else 1 + ReduceAxis
    kBinaryAccumulate,  // set by binary init
    kMatmulTranspose,  // set by matmul init
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

// Bit of kDstDeferred: ComputeState::known holds something.
inline constexpr uint32_t kKnowsOperands = 1u << kDstSlots;

// A card's 16-bit DST stores a bfloat16 as sign, mantissa, exponent, indistinguishable from an integer. A word here
// holds the bfloat16 in its upper half, in the order of L1, and the integer in its lower half.
inline uint32_t bfloat16_of_integer(uint32_t half) {
    return (half & 0x8000u) | (half & 0xffu) << 7 | (half >> 8 & 0x7fu);
}
inline uint32_t integer_of_bfloat16(uint32_t half) {
    return (half & 0x8000u) | (half & 0x7fu) << 8 | (half >> 7 & 0xffu);
}

// All slots read as zero.
void clear_dst(ComputeSettings& state);

// Whether the packer has begun its section before tile_regs_commit.
bool packer_waits_for_commit(const ComputeSettings& state);
void forget_early_packing(ComputeSettings& state);
// Sections that the math side can complete before they are packed.
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
// The same for a call of the math side: DST must be acquired and not yet committed.
inline ComputeState& math_state(const char* call) {
    ComputeState& state = started_state(call);
    if (state.phase != DstPhase::Acquired) [[unlikely]] {
        maths_without_dst(state, call);
    }
    return state;
}
// The same for a call of the packer: tile_regs_wait must have run.
ComputeState& pack_state(const char* call);
// The same for a call that acquires and releases DST itself (tilize_block ...).
ComputeState& section_state(const char* call);

inline void check_slot(const ComputeState& state, uint32_t slot, const char* call) {
    if (slot >= state.dst_capacity()) [[unlikely]] {
        rule_error(
            Rule::DstIndex,
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

// Marks the slot's memory as complete.
inline void forget_dst(ComputeState& state, uint32_t slot) {
    for (const ScratchWord word : {kDstCleared, kDstRowBroadcast, kDstColumnBroadcast, kDstColumnApart, kDstDeferred}) {
        state.scratch[word] &= ~(1u << slot);
    }
}

// Writes all words of the slot as they read.
void fill_dst(ComputeState& state, uint32_t slot);

// All words of an existing slot.
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
            Rule::DstProtocol,
            "%s changes DST tile %u after pack_tile read it in the same section: a card packs only after "
            "tile_regs_commit and would pack the new value",
            call,
            slot);
    }
}

// The words of a slot about to be written in full.
inline uint32_t* dst_overwrite(ComputeState& state, uint32_t slot, const char* call) {
    check_change(state, slot, call);
    forget_dst(state, slot);
    return state.dst[slot];
}

// The same for a slot whose rows will all read as row 0: only that row is to be written, in the upper faces.
inline uint32_t* dst_broadcast_row(ComputeState& state, uint32_t slot, const char* call) {
    uint32_t* words = dst_overwrite(state, slot, call);
    state.scratch[kDstRowBroadcast] |= 1u << slot;
    return words;
}

// The same for a slot whose columns will all read alike: 32 words, by row.
inline uint32_t* dst_broadcast_column(ComputeState& state, uint32_t slot, const char* call) {
    uint32_t* words = dst_overwrite(state, slot, call);
    state.scratch[kDstColumnBroadcast] |= 1u << slot;
    return words;
}

// The 32 words of a slot that has at most a column 0, to be changed.
inline uint32_t* dst_update_column(ComputeState& state, uint32_t slot, const char* call) {
    check_change(state, slot, call);
    if (dst_reads_zero(state, slot)) {
        std::fill_n(state.dst[slot], 32, 0u);
        forget_dst(state, slot);
        state.scratch[kDstColumnApart] |= 1u << slot;
    }
    return state.dst[slot];
}

// The same for a slot about to be deferred.
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

// Called before the packer packs a slot.
inline void dst_begin_pack(ComputeState& state, uint32_t slot, const char* call) {
    check_slot(state, slot, call);
    if (state.phase == DstPhase::Acquired) {
        state.scratch[kDstPackedEarly] |= 1u << slot;
    }
}

// The words to pack; nullptr when the slot reads as zero.
inline const uint32_t* dst_packed_words(ComputeState& state, uint32_t slot) {
    return dst_reads_zero(state, slot) ? nullptr : dst_words(state, slot);
}

inline const uint32_t* dst_read(ComputeState& state, uint32_t slot, const char* call) {
    dst_begin_pack(state, slot, call);
    return dst_packed_words(state, slot);
}

}  // namespace tw
