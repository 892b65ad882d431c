// SPDX-License-Identifier: Apache-2.0
// The three TRISC threads of a compute kernel.
//
// A card runs a compute kernel three times concurrently. The unpack thread moves tiles from circular buffers into the
// source registers, the math thread computes with them into DST, and the pack thread moves DST into circular buffers.
// Each makes only its part of every call, and waits for the others only where the hardware does: for a filled or free
// bank of the source registers, for a half of DST, for pages.
//
// The engine runs the three as one fiber that makes all parts of every call in source order. When that fiber waits, it
// waits for the one thread whose part it has reached; most such waits end by what other kernels do. When nothing in the
// program can progress any more, each waiting compute kernel is split: its threads continue as separate fibers from the
// same point, each on a copy of the stack, with its own init settings, pages and pointers, and each makes only its own
// part of calls. This shows whether the wait ends by a later call of another thread, as on a card, or never.
// Circular-buffer programs have the same results in every order, so what ran before the split remains valid. Split
// threads stay split. They take turns on the one stack.
//
// A kernel whose text differs per thread (#if of TRISC_UNPACK, TRISC_MATH or TRISC_PACK) is compiled once per thread
// and is split from the start.
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

// State of a split thread while another one occupies the stack.
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
    ParkedThread thread[kNumThreads];  // unpack, math, pack
    uint32_t resident = 0;  // the thread whose stack and settings are in place
    uint32_t last = 0;  // the thread that ran last
    bool is_running = false;  // whether the resident thread is running
    // Hand-over of DST: sections committed by the math thread that the pack thread has not released.
    uint32_t committed = 0;
    uint32_t math_half = 0, pack_half = 0;
    DstHalf half[2];
    uint32_t blocks_passed = 0;  // 1: the math thread has handed on the block at the head of the source queue
    // The unpack thread may pop before the math thread has taken all operands, because they fit the source registers.
    bool runs_ahead = false;
};

// Splits a waiting compute kernel: its threads continue as separate fibers.
void split_threads(KernelInstance& instance);
// enter_thread puts a thread's stack and settings in place; leave_thread saves its status after it ran.
void enter_thread(KernelInstance& instance, uint32_t index);
void leave_thread(KernelInstance& instance);
bool thread_can_run(const KernelInstance& instance, const FiberStatus& fiber);
// The next thread that can run, in round-robin order; kNumThreads: none.
uint32_t next_thread(const KernelInstance& instance);
// Lets a stuck compute kernel do what it still could on a card: splits its threads, or lets its unpack thread run ahead
// by what the source registers hold. Returns whether that changed anything.
bool unblock_threads(KernelInstance& instance);
void note_split_stacks(KernelInstance& instance);
// Whether the thread that is about to end is the last one of its kernel.
bool is_last_thread(const KernelInstance& instance);

// Visits the status of an instance's fiber, or of each of its split threads.
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

// The threads that the macro around the running statement selects.
inline uint8_t named_threads(const KernelInstance& instance) { return instance.named_threads & kAllThreads; }

// Whether the running statement is for another thread. Threads split inside a statement for one of them all execute the
// rest of it.
inline bool is_for_another(const KernelInstance& instance) {
    return instance.is_compute() && (named_threads(instance) & instance.threads) == 0;
}

// Index of one thread: 0 unpack, 1 math, 2 pack.
inline uint32_t thread_index(uint8_t thread) { return static_cast<uint32_t>(std::countr_zero(thread)); }

inline bool runs_on(const KernelInstance& instance, uint8_t thread) { return (instance.threads & thread) != 0; }

// Waits on behalf of one thread. False if the fiber does not run that thread (any more): the call is not its own.
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
