// SPDX-License-Identifier: Apache-2.0
// The DST hand-over between maths and packer.
//
// On a card both sides run by themselves and only commit -> wait and release -> acquire order them, so a kernel may
// write tile_regs_wait (and even pack_tile, tile_regs_release) before tile_regs_commit in its source. That is accepted
// as long as no slot changes after it was packed.
#include "dst.h"

#include <cstring>

#include "abi/tile.h"
#include "check/compute/operands.h"
#include "check/values/values.h"

namespace tw {

namespace {

enum PackSection : uint32_t { kPackNotStarted, kPackOpen, kPackReleased };

void clear_all(ComputeState& state) {
    clear_dst(state);
    taint_clear(state);
}

void end_section(ComputeState& state) {
    state.phase = DstPhase::Idle;
    state.scratch[kPackSection] = kPackNotStarted;
    state.scratch[kDstPackedEarly] = 0;
}

void release(const char* call, bool clear) {
    ComputeState& state = started_state(call);
    if (state.phase == DstPhase::Acquired && state.scratch[kPackSection] == kPackOpen) {
        state.scratch[kPackSection] = kPackReleased;
        return;
    }
    if (state.phase != DstPhase::Packing) {
        rule_error("dst-protocol", "%s without tile_regs_wait before it: the packer does not hold DST", call);
    }
    end_section(state);
    if (clear) {
        clear_all(state);
    }
}

}  // namespace

void clear_dst(ComputeState& state) {
    state.scratch[kDstCleared] = (1u << kDstSlots) - 1;
    state.scratch[kDstRowSpread] = 0;
}

void fill_dst(ComputeState& state, uint32_t slot) {
    uint32_t* words = state.dst[slot];
    if (dst_reads_zero(state, slot)) {
        std::memset(words, 0, sizeof state.dst[0]);
    } else {
        for (uint32_t i = 16; i < kTileElements; i += 16) {
            if (i != kFaceElements) {
                std::memcpy(words + i, words + i / kFaceElements % 2 * kFaceElements, 16 * sizeof(uint32_t));
            }
        }
    }
    forget_dst(state, slot);
}

bool packer_waits_for_commit(const ComputeState& state) {
    return state.scratch[kPackSection] != kPackNotStarted;
}

void missing_startup(const char* call) {
    rule_error(
        "hw-startup-missing",
        "%s before compute_kernel_hw_startup: unpacker and packer have no data formats yet",
        call);
}

void maths_without_dst(const ComputeState& state, const char* call) {
    rule_error(
        "dst-protocol",
        state.phase == DstPhase::Idle
            ? "%s without tile_regs_acquire: DST does not belong to the maths side"
            : "%s after tile_regs_commit: DST belongs to the packer until tile_regs_release and tile_regs_acquire",
        call);
}

ComputeState& pack_state(const char* call) {
    ComputeState& state = started_state(call);
    const bool early = state.phase == DstPhase::Acquired && state.scratch[kPackSection] == kPackOpen;
    if (state.phase != DstPhase::Packing && !early) [[unlikely]] {
        rule_error(
            "dst-protocol",
            state.phase == DstPhase::Committed
                ? "%s without tile_regs_wait: the packer has not waited for the maths side"
                : "%s outside tile_regs_wait and tile_regs_release: DST does not belong to the packer",
            call);
    }
    pack_thread_enter();
    return state;
}

ComputeState& section_state(const char* call) {
    ComputeState& state = started_state(call);
    if (state.phase != DstPhase::Idle) [[unlikely]] {
        rule_error(
            "dst-protocol", "%s between tile_regs_acquire and tile_regs_release: it acquires DST by itself", call);
    }
    pack_thread_enter();
    return state;
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_tile_regs_acquire() {
    ComputeState& state = started_state("tile_regs_acquire");
    if (state.phase == DstPhase::Acquired) {
        rule_error("dst-protocol", "tile_regs_acquire twice: tile_regs_commit is missing after the first");
    }
    if (state.phase != DstPhase::Idle) {
        rule_error("dst-protocol", "tile_regs_acquire before the packer gave DST back: tile_regs_release is missing");
    }
    state.phase = DstPhase::Acquired;
    remember_dst_call(state);
}

void tw_tile_regs_commit() {
    ComputeState& state = started_state("tile_regs_commit");
    if (state.phase != DstPhase::Acquired) {
        rule_error("dst-protocol", "tile_regs_commit without tile_regs_acquire before it");
    }
    switch (state.scratch[kPackSection]) {
        case kPackOpen: state.phase = DstPhase::Packing; break;
        case kPackReleased:
            end_section(state);
            clear_all(state);
            return;
        default: state.phase = DstPhase::Committed;
    }
    state.scratch[kDstPackedEarly] = 0;
}

void tw_tile_regs_wait() {
    ComputeState& state = started_state("tile_regs_wait");
    if (state.phase == DstPhase::Committed) {
        state.phase = DstPhase::Packing;
    } else if (state.phase == DstPhase::Acquired && state.scratch[kPackSection] == kPackNotStarted) {
        state.scratch[kPackSection] = kPackOpen;
        remember_dst_call(state);
    } else if (state.phase == DstPhase::Idle) {
        rule_error("dst-protocol", "tile_regs_wait without tile_regs_commit: the packer would wait for ever");
    }
    // Again in the same section: what it waits for is there already.
}

void tw_tile_regs_release() { release("tile_regs_release", true); }
void tw_tile_regs_release_keep() { release("tile_regs_release", false); }

// The packer side of acquire_dst waits for the maths side of release_dst, so in effect maths comes first here too.
void tw_acquire_dst() {
    tw_tile_regs_acquire();
    tw_tile_regs_wait();
}

void tw_release_dst() {
    ComputeState& state = started_state("release_dst");
    if (state.phase != DstPhase::Acquired || state.scratch[kPackSection] != kPackOpen) {
        rule_error("dst-protocol", "release_dst without acquire_dst before it");
    }
    end_section(state);
    clear_all(state);
}

void tw_clear_dest() { clear_all(math_state("clearing DST")); }
}
