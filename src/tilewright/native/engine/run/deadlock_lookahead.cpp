// SPDX-License-Identifier: Apache-2.0
#include "deadlock_lookahead.h"

#include <time.h>

#include <algorithm>
#include <vector>

#include "mixing.h"
#include "scheduler.h"
#include "threads.h"

namespace tw {

// Limits are counts, so that the result does not depend on the machine's speed. A kernel that still polls after this
// many time slices waits for something that does not come.
static constexpr uint32_t kPolls = 64;
// Waits, pushes and pops of one kernel, and of all together, before the look-ahead stops.
static constexpr uint64_t kCallsOfOne = 4u << 20, kCallsOfAll = 32u << 20;
// Basic blocks between two calls before a kernel is abandoned, where kernels count them (checked and recorded runs).
static constexpr uint64_t kSilentBlocks = 1u << 24;
// Elsewhere a kernel is abandoned after this much CPU time between two calls, which only an endless loop takes. After
// this many such kernels the remaining ones are not tried.
static constexpr double kSilentSeconds = 5;
static constexpr uint32_t kEndless = 2;

namespace {
// State of a kernel that the look-ahead must restore for the report.
struct Position {
    KernelInstance* instance;
    FiberStatus fiber;
    FiberStatus of_thread[kNumThreads];  // if its threads are split
    CbTraffic traffic[kMaxCircularBuffers];
    // The kernel did not reach an end, so it may still push and pop anything.
    bool is_unknown;
};
}  // namespace

static Position note_position(KernelInstance& instance) {
    instance.note_stack();
    instance.stack_noted = true;
    Position position{&instance, instance, {}, {}, true};
    if (instance.split != nullptr) {
        std::copy_n(instance.split->thread, kNumThreads, position.of_thread);
    }
    std::copy_n(instance.traffic, kMaxCircularBuffers, position.traffic);
    return position;
}

static void restore(const Position& position) {
    KernelInstance& instance = *position.instance;
    // A kernel that did not reach its end may still push and pop anything.
    const bool is_unknown = position.is_unknown || instance.state == InstanceState::Failed;
    static_cast<FiberStatus&>(instance) = position.fiber;
    for (uint32_t index = 0; instance.split != nullptr && index < kNumThreads; index++) {
        static_cast<FiberStatus&>(instance.split->thread[index]) = position.of_thread[index];
    }
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        const CbTraffic& before = position.traffic[cb];
        const CbTraffic& after = instance.traffic[cb];
        const uint64_t bit = uint64_t{1} << cb;
        instance.would_push |= is_unknown || after.push_calls != before.push_calls ? bit : 0;
        instance.would_pop |= is_unknown || after.pop_calls != before.pop_calls ? bit : 0;
    }
    std::copy_n(position.traffic, kMaxCircularBuffers, instance.traffic);
}

// CPU time of this thread.
static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A hash of all that decides what an interrupted kernel does next: registers, stack, statics and the memory it can
// store to. No other kernel runs, so a kernel that reaches the same state twice is in an endless loop. 0: not known.
static uint64_t whole_state(const Scheduler& scheduler, const KernelInstance& instance) {
    if (scheduler.lookahead_state == 0) {
        return 0;
    }
    const auto* l1 = reinterpret_cast<const void*>(static_cast<uintptr_t>(instance.core->l1_base));
    uint64_t state = hash_words(scheduler.lookahead_state, l1, instance.context.l1_size);
    for (const KernelCode& each : instance.kernel->code) {
        state = hash_words(state, each.statics, each.statics_bytes);
    }
    return state;
}

static bool is_silent_for_long(const Scheduler& scheduler) {
    return scheduler.blocks - scheduler.blocks_at_call >= kSilentBlocks;
}

// Runs one fiber to its end, or as far as it gets. Returns whether it reached an end.
static bool run_on(Scheduler& scheduler, KernelInstance& instance, uint32_t thread, const FiberStatus& fiber) {
    // A fault of the kernel lands here; its calls up to then are counted.
    if (sigsetjmp(scheduler.fault_landing, 0) != 0) {
        scheduler.current = nullptr;
        return true;
    }
    const uint64_t first_call = scheduler.lookahead_calls;
    std::vector<uint64_t> states;  // at ticks since its last call
    double silent_since = 0;
    scheduler.blocks_at_call = scheduler.blocks;
    for (uint32_t polls = 0; polls < kPolls;) {
        const uint64_t calls = scheduler.lookahead_calls;
        scheduler.resume(instance, thread);
        if (is_silent_for_long(scheduler) || scheduler.lookahead_calls - first_call >= kCallsOfOne) {
            return false;
        }
        if (fiber.state != InstanceState::Yielded && fiber.state != InstanceState::Ready) {
            return true;
        }
        const bool is_tick = instance.failed_program_counter != 0;
        polls += is_tick ? 0 : 1;
        if (!is_tick || scheduler.lookahead_calls != calls) {
            states.clear();
            continue;
        }
        const uint64_t state = whole_state(scheduler, instance);
        if (state != 0 && std::ranges::find(states, state) != states.end()) {
            return true;
        }
        silent_since = states.empty() ? processor_seconds() : silent_since;
        if (scheduler.blocks == scheduler.blocks_at_call && processor_seconds() - silent_since > kSilentSeconds) {
            return false;
        }
        states.push_back(state);
    }
    return true;
}

static bool run_on(Scheduler& scheduler, KernelInstance& instance) {
    if (instance.split == nullptr) {
        return run_on(scheduler, instance, kNumThreads, instance);
    }
    bool came_to_an_end = true;
    for (uint32_t index = 0; index < kNumThreads; index++) {
        const ParkedThread& thread = instance.split->thread[index];
        if (thread.state != InstanceState::Finished) {
            came_to_an_end &= run_on(scheduler, instance, index, thread);
        }
    }
    return came_to_an_end;
}

void count_lookahead_call(KernelInstance& instance) {
    Scheduler& scheduler = *instance.scheduler;
    // Back to run_on(), which may stop.
    if (++scheduler.lookahead_calls % kCallsOfOne == 0 || is_silent_for_long(scheduler)) {
        scheduler.suspend(InstanceState::Yielded, WaitKind::None, 0, 0);
    }
    scheduler.blocks_at_call = scheduler.blocks;
}

void look_ahead(Scheduler& scheduler) {
    std::vector<Position> positions;
    for (Core* core : scheduler.cores) {
        for (KernelInstance* instance : core->instances) {
            if (instance->state == InstanceState::Blocked || instance->state == InstanceState::Polling) {
                positions.push_back(note_position(*instance));
            }
        }
    }
    scheduler.looking_ahead = true;
    uint32_t endless = 0;
    for (size_t next = 0; next < positions.size() && endless < kEndless; next++) {
        if (scheduler.program.stop.load() || scheduler.lookahead_calls >= kCallsOfAll) {
            break;
        }
        positions[next].is_unknown = !run_on(scheduler, *positions[next].instance);
        endless += positions[next].is_unknown ? 1 : 0;
    }
    scheduler.looking_ahead = false;
    for (const Position& position : positions) {
        restore(position);
    }
}

}  // namespace tw
