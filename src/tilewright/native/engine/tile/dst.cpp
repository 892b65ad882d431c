// SPDX-License-Identifier: Apache-2.0
// The hand-over of DST between the math side and the packer.
//
// On a card both sides run concurrently and only commit -> wait and release -> acquire order them, so a kernel may call
// tile_regs_wait (and even pack_tile, tile_regs_release) before tile_regs_commit in its source. That is accepted as
// long as no slot changes after it was packed.
//
// Split threads (threads.h) hand DST over as on a card: the math thread may be ahead of the pack thread by as many
// sections as DST has halves, and each works on its own half.
#include "dst.h"

#include <cstring>

#include "abi/tile.h"
#include "check/compute/operands.h"
#include "check/hooks.h"
#include "check/values/values.h"
#include "deferred_dst.h"
#include "run/threads.h"

namespace tw {

namespace {

enum PackSection : uint32_t { kPackNotStarted, kPackOpen, kPackReleased };

// --- split threads ---

void use_half(KernelInstance& instance, uint32_t index) {
    ComputeState& state = *instance.core->compute;
    const DstHalf& half = instance.split->half[index];
    state.dst = state.dst_memory + index * kDstSlots / 2;
    state.scratch[kDstCleared] = half.cleared;
    state.scratch[kDstRowBroadcast] = half.row_broadcast;
    on_half(instance, index);
}

// Stores how the half reads, for the thread that gets it next.
void give_half(KernelInstance& instance, uint32_t& index) {
    ComputeState& state = *instance.core->compute;
    instance.split->half[index] = {state.scratch[kDstCleared], state.scratch[kDstRowBroadcast]};
    index = (index + 1) % dst_halves(state);
    state.phase = DstPhase::Idle;
    instance.scheduler->progress++;
}

void acquire_half(KernelInstance& instance) {
    SplitThreads& split = *instance.split;
    ComputeState& state = *instance.core->compute;
    const auto is_free = [&] { return split.committed < dst_halves(state); };
    if (wait_on(instance, kMathThread, WaitKind::DstFree, is_free)) {
        use_half(instance, split.math_half);
        state.phase = DstPhase::Acquired;
        on_section(instance, SectionStep::Acquired);
    }
}

void commit_half(KernelInstance& instance) {
    if (runs_on(instance, kMathThread)) {
        on_section(instance, SectionStep::Committed);
        give_half(instance, instance.split->math_half);
        instance.split->committed++;
    }
}

bool wait_for_half(KernelInstance& instance) {
    const SplitThreads& split = *instance.split;
    return wait_on(instance, kPackThread, WaitKind::DstReady, [&] { return split.committed > 0; });
}

void open_half(KernelInstance& instance) {
    if (wait_for_half(instance)) {
        use_half(instance, instance.split->pack_half);
        instance.core->compute->phase = DstPhase::Packing;
        on_section(instance, SectionStep::Waited);
    }
}

void clear_all(ComputeState& state);

void release_half(KernelInstance& instance, bool clear) {
    if (!wait_for_half(instance)) {
        return;
    }
    if (clear) {
        clear_all(*instance.core->compute);
    }
    on_section(instance, SectionStep::Released);
    give_half(instance, instance.split->pack_half);
    instance.split->committed -= instance.split->committed > 0 ? 1 : 0;
}

// --- one fiber ---

void clear_all(ComputeState& state) {
    clear_dst(state);
    taint_clear(state);
}

void end_section(ComputeState& state) {
    state.phase = DstPhase::Idle;
    forget_early_packing(state);
}

void release(const char* call, bool clear) {
    ComputeState& state = started_state(call);
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr) [[unlikely]] {
        release_half(instance, clear);
        return;
    }
    if (state.phase == DstPhase::Acquired && state.scratch[kPackSection] == kPackOpen) {
        state.scratch[kPackSection] = kPackReleased;
        return;
    }
    if (state.phase != DstPhase::Packing) {
        rule_error(Rule::DstProtocol, "%s without tile_regs_wait before it: the packer does not hold DST", call);
    }
    on_section(instance, SectionStep::Released);
    end_section(state);
    if (clear) {
        clear_all(state);
    }
}

}  // namespace

void clear_dst(ComputeSettings& state) {
    state.scratch[kDstCleared] = (1u << kDstSlots) - 1;
    for (const ScratchWord word : {kDstRowBroadcast, kDstColumnBroadcast, kDstColumnApart}) {
        state.scratch[word] = 0;
    }
    state.scratch[kDstDeferred] &= kKnowsOperands;
}

// Writes the 32 words to column 0, or to all columns.
static void fill_columns(uint32_t* words, bool in_all) {
    uint32_t column[32];
    std::memcpy(column, words, sizeof column);
    for (uint32_t row = 0; row < 32; row++) {
        uint32_t* left = words + row / 16 * 2 * kFaceElements + row % 16 * 16;
        std::fill_n(left, 16, in_all ? column[row] : 0);
        std::fill_n(left + kFaceElements, 16, in_all ? column[row] : 0);
        left[0] = column[row];
    }
}

void fill_dst(ComputeState& state, uint32_t slot) {
    uint32_t* words = state.dst[slot];
    if (dst_reads_zero(state, slot)) {
        std::memset(words, 0, sizeof state.dst[0]);
    } else if (dst_is_deferred(state, slot)) {
        write_deferred(state.deferred[slot], words);
    } else if (dst_columns_repeat(state, slot) || dst_column_apart(state, slot)) {
        fill_columns(words, dst_columns_repeat(state, slot));
    } else {
        for (uint32_t i = 16; i < kTileElements; i += 16) {
            if (i != kFaceElements) {
                std::memcpy(words + i, words + i / kFaceElements % 2 * kFaceElements, 16 * sizeof(uint32_t));
            }
        }
    }
    forget_dst(state, slot);
}

bool packer_waits_for_commit(const ComputeSettings& state) { return state.scratch[kPackSection] != kPackNotStarted; }

void forget_early_packing(ComputeSettings& state) {
    state.scratch[kPackSection] = kPackNotStarted;
    state.scratch[kDstPackedEarly] = 0;
}

void missing_startup(const char* call) {
    rule_error(
        Rule::HwStartupMissing,
        "%s before compute_kernel_hw_startup: unpacker and packer have no data formats yet",
        call);
}

void maths_without_dst(const ComputeState& state, const char* call) {
    rule_error(
        Rule::DstProtocol,
        state.phase == DstPhase::Idle
            ? "%s without tile_regs_acquire: DST does not belong to the maths side"
            : "%s after tile_regs_commit: DST belongs to the packer until tile_regs_release and tile_regs_acquire",
        call);
}

ComputeState& pack_state(const char* call) {
    ComputeState& state = started_state(call);
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr && state.phase == DstPhase::Packing) [[unlikely]] {
        wait_for_half(instance);  // it may have packed ahead of the math side before the split
    }
    const bool early = state.phase == DstPhase::Acquired && state.scratch[kPackSection] == kPackOpen;
    if (state.phase != DstPhase::Packing && !early) [[unlikely]] {
        rule_error(
            Rule::DstProtocol,
            state.phase == DstPhase::Committed
                ? "%s without tile_regs_wait: the packer has not waited for the maths side"
                : "%s outside tile_regs_wait and tile_regs_release: DST does not belong to the packer",
            call);
    }
    return state;
}

ComputeState& section_state(const char* call) {
    ComputeState& state = started_state(call);
    if (state.phase != DstPhase::Idle) [[unlikely]] {
        rule_error(
            Rule::DstProtocol, "%s between tile_regs_acquire and tile_regs_release: it acquires DST by itself", call);
    }
    return state;
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_tile_regs_acquire() {
    ComputeState& state = started_state("tile_regs_acquire");
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr) [[unlikely]] {
        acquire_half(instance);
        return;
    }
    if (state.phase == DstPhase::Acquired) {
        if (packer_waits_for_commit(state)) {
            rule_error(Rule::DstProtocol, "tile_regs_acquire twice: tile_regs_commit is missing after the first");
        }
        return;  // the math side holds DST already and continues with its contents
    }
    if (state.phase != DstPhase::Idle) {
        rule_error(
            Rule::DstProtocol, "tile_regs_acquire before the packer gave DST back: tile_regs_release is missing");
    }
    state.phase = DstPhase::Acquired;
    remember_dst_call(state);
    on_section(instance, SectionStep::Acquired);
}

void tw_tile_regs_commit() {
    ComputeState& state = started_state("tile_regs_commit");
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr) [[unlikely]] {
        commit_half(instance);
        return;
    }
    if (state.phase != DstPhase::Acquired) {
        rule_error(Rule::DstProtocol, "tile_regs_commit without tile_regs_acquire before it");
    }
    on_section(instance, SectionStep::Committed);
    switch (state.scratch[kPackSection]) {
        case kPackOpen: state.phase = DstPhase::Packing; break;
        case kPackReleased:
            on_section(instance, SectionStep::Released);
            end_section(state);
            clear_all(state);
            return;
        default: state.phase = DstPhase::Committed;
    }
    state.scratch[kDstPackedEarly] = 0;
}

void tw_tile_regs_wait() {
    ComputeState& state = started_state("tile_regs_wait");
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr) [[unlikely]] {
        open_half(instance);
        return;
    }
    if (state.phase == DstPhase::Committed) {
        state.phase = DstPhase::Packing;
    } else if (state.phase == DstPhase::Acquired && state.scratch[kPackSection] == kPackNotStarted) {
        state.scratch[kPackSection] = kPackOpen;
        remember_dst_call(state);
    } else if (state.phase == DstPhase::Idle) {
        rule_error(Rule::DstProtocol, "tile_regs_wait without tile_regs_commit: the packer would wait for ever");
    }
    // Repeated in the same section: the half is there already.
    on_section(instance, SectionStep::Waited);
}

void tw_tile_regs_release() { release("tile_regs_release", true); }
void tw_tile_regs_release_keep() { release("tile_regs_release", false); }

// The packer's acquire_dst waits for the math side's release_dst, so the math side goes first here too.
void tw_acquire_dst() {
    tw_tile_regs_acquire();
    tw_tile_regs_wait();
}

void tw_release_dst() {
    ComputeState& state = started_state("release_dst");
    KernelInstance& instance = current_instance();
    if (instance.split != nullptr) [[unlikely]] {
        commit_half(instance);
        release_half(instance, true);
        return;
    }
    if (state.phase != DstPhase::Acquired || state.scratch[kPackSection] != kPackOpen) {
        rule_error(Rule::DstProtocol, "release_dst without acquire_dst before it");
    }
    on_section(instance, SectionStep::Committed);
    on_section(instance, SectionStep::Waited);
    on_section(instance, SectionStep::Released);
    end_section(state);
    clear_all(state);
}

// Between sections no side holds DST, so clearing it loses nothing.
void tw_clear_dest() {
    if (runs_on(current_instance(), kMathThread)) {
        ComputeState& state = started_state("clearing DST");
        clear_all(state.phase == DstPhase::Idle ? state : math_state("clearing DST"));
    }
}
}
