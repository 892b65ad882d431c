// SPDX-License-Identifier: Apache-2.0
// The three threads of a compute kernel.
//
// A card runs a compute kernel three times at once: the unpack thread moves tiles from circular buffers into the source
// registers, the maths thread computes with them into DST, the pack thread moves DST into circular buffers. Each makes
// only its part of every call and waits for the others only where the hardware does: for a filled or a free bank of the
// source registers, for a half of DST, for pages.
//
// As long as one order is as good as another they go together here, as one fiber that does all three parts of every call
// in the order of the source. A fiber that waits stands for the one thread whose part it is, and most waits end by what
// other kernels do. When nothing in the program can move any more, the threads of every waiting compute kernel part:
// each goes on from the same place in a copy of the fiber's stack, with what init calls set, pages and pointers of its
// own, and takes only its own part of calls. That finds out whether the wait ends by something another thread does
// later in the source, as on a card, or never. Circular-buffer programs do the same in every order, so nothing that
// happened before could have happened otherwise. Parted threads stay apart: the stack is theirs in turn.
//
// A kernel whose text differs from thread to thread (#if of TRISC_UNPACK, TRISC_MATH or TRISC_PACK) is compiled for each of
// them, and its threads have parted before they begin.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "compute_state.h"
#include "fiber.h"
#include "program.h"
#include "scheduler.h"

namespace tw {

inline constexpr uint32_t kNumThreads = 3;

// One thread while another has the stack.
struct ParkedThread : FiberStatus {
    FiberContext fiber;
    std::vector<uint8_t> stack;  // the part in use
    std::vector<uint8_t> statics;
    KernelContext context;
    ComputeSettings settings;
    uint32_t named_threads = kAllThreads;
    uintptr_t failed_frame_pointer = 0, failed_program_counter = 0, failed_caller = 0;
    NotedStack noted;
};

struct DstHalf {
    uint32_t cleared = ~0u, row_broadcast = 0;  // as in ComputeSettings::scratch
};

struct SplitThreads {
    ParkedThread thread[kNumThreads];  // unpack, maths, pack
    uint32_t resident = 0;  // whose stack and settings are in place
    uint32_t last = 0;  // who ran last
    bool is_running = false;  // the resident, now
    // The hand-over of DST: sections of the maths thread that the pack thread has not given back.
    uint32_t committed = 0;
    uint32_t math_half = 0, pack_half = 0;
    DstHalf half[2];
    uint32_t blocks_passed = 0;  // 1: the maths thread has passed on the block at the head of the source queue
    // The unpack thread may pop although the maths thread has not taken all operands: they fit the source registers.
    bool runs_ahead = false;
};

// Lets the threads of a waiting compute kernel go on by themselves.
void split_threads(KernelInstance& instance);
// Puts a thread's stack and settings in place, and takes note of where it stands after it ran.
void enter_thread(KernelInstance& instance, uint32_t index);
void leave_thread(KernelInstance& instance);
bool thread_can_run(const KernelInstance& instance, const FiberStatus& fiber);
// The next thread that can run, the one after the last first; kNumThreads: none.
uint32_t next_thread(const KernelInstance& instance);
// Whether a compute kernel that cannot go on has anything left that a card would still do: parts its threads, or lets
// its unpack thread run ahead by what the source registers hold.
bool unblock_threads(KernelInstance& instance);
void note_split_stacks(KernelInstance& instance);
// Whether the thread that is about to end is the last one of its kernel.
bool is_last_thread(const KernelInstance& instance);

// Where an instance stands: as one, or each of its threads.
template <class Instance, class Body>
void for_each_fiber(Instance& instance, Body body) {
    if (instance.split == nullptr) [[likely]] {
        body(instance);
        return;
    }
    for (auto& thread : instance.split->thread) {
        body(thread);
    }
}

// The threads that the macro around the running statement names.
inline uint8_t named_threads(const KernelInstance& instance) { return instance.named_threads & kAllThreads; }

// After the threads have parted inside a statement for one of them, the others come through the rest of it too.
inline bool is_for_another(const KernelInstance& instance) {
    return instance.is_compute() && (named_threads(instance) & instance.threads) == 0;
}

// Of one thread: 0 unpack, 1 maths, 2 pack.
inline uint32_t thread_index(uint8_t thread) { return static_cast<uint32_t>(std::countr_zero(thread)); }

inline bool runs_on(const KernelInstance& instance, uint8_t thread) { return (instance.threads & thread) != 0; }

// Waits on behalf of one thread. False where the fiber does not stand for it (any more): the call is not its own.
template <class Condition>
bool wait_on(
    KernelInstance& instance, uint8_t thread, WaitKind kind, Condition is_met, uint32_t what = 0, uint32_t amount = 0) {
    while (runs_on(instance, thread)) {
        if (is_met() || instance.scheduler->looking_ahead) {
            return true;
        }
        instance.scheduler->suspend(InstanceState::Blocked, kind, what, amount);
    }
    return false;
}

const char* thread_name(uint8_t thread);

}  // namespace tw
