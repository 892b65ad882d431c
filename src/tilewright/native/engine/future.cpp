// SPDX-License-Identifier: Apache-2.0
#include "future.h"

#include <algorithm>
#include <vector>

#include "scheduler.h"
#include "threads.h"

namespace tw {

// A kernel that still polls after this many turns waits for something no longer coming.
static constexpr uint32_t kTurns = 64;
// Kernels that had to be stopped by the tick (every one costs up to 40 ms) before the rest is left unexplored.
static constexpr uint32_t kEndless = 8;

namespace {
// What a report says of a kernel besides its buffers.
struct Position {
    KernelInstance* instance;
    Standing standing;
    Standing of_thread[kNumThreads];  // where they have parted
    CbTraffic traffic[kMaxCircularBuffers];
    // It could not be followed to an end, so it may still do anything.
    bool is_unknown;
};
}  // namespace

static Position note_position(KernelInstance& instance) {
    instance.note_stack();
    instance.stack_noted = true;
    Position position{&instance, instance, {}, {}, true};
    if (instance.parted != nullptr) {
        std::copy_n(instance.parted->thread, kNumThreads, position.of_thread);
    }
    std::copy_n(instance.traffic, kMaxCircularBuffers, position.traffic);
    return position;
}

static void restore(const Position& position) {
    KernelInstance& instance = *position.instance;
    const uint64_t unknown = position.is_unknown || instance.state == InstanceState::Failed ? ~uint64_t{0} : 0;
    instance.would_push |= unknown;
    instance.would_pop |= unknown;
    static_cast<Standing&>(instance) = position.standing;
    for (uint32_t index = 0; instance.parted != nullptr && index < kNumThreads; index++) {
        static_cast<Standing&>(instance.parted->thread[index]) = position.of_thread[index];
    }
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        const CbTraffic& before = position.traffic[cb];
        const CbTraffic& after = instance.traffic[cb];
        const uint64_t bit = uint64_t{1} << cb;
        instance.would_push |= after.push_calls != before.push_calls ? bit : 0;
        instance.would_pop |= after.pop_calls != before.pop_calls ? bit : 0;
    }
    std::copy_n(position.traffic, kMaxCircularBuffers, instance.traffic);
}

// Lets one thread of control run to its end, or as far as it gets. Returns whether it came to one.
static bool run_on(Scheduler& scheduler, KernelInstance& instance, uint32_t thread, const Standing& standing) {
    // A fault lands here; what the kernel did until then is known.
    if (sigsetjmp(scheduler.fault_landing, 0) != 0) {
        scheduler.current = nullptr;
        return true;
    }
    for (uint32_t turn = 0; turn < kTurns; turn++) {
        const double begin = monotonic_seconds();
        scheduler.resume(instance, thread);
        if (standing.state != InstanceState::Yielded && standing.state != InstanceState::Ready) {
            return true;
        }
        if (monotonic_seconds() - begin > 0.01) {  // the tick took the processor away
            return false;
        }
    }
    return true;
}

static bool run_on(Scheduler& scheduler, KernelInstance& instance) {
    if (instance.parted == nullptr) {
        return run_on(scheduler, instance, kNumThreads, instance);
    }
    bool came_to_an_end = true;
    for (uint32_t index = 0; index < kNumThreads; index++) {
        const ParkedThread& thread = instance.parted->thread[index];
        if (thread.state != InstanceState::Finished) {
            came_to_an_end &= run_on(scheduler, instance, index, thread);
        }
    }
    return came_to_an_end;
}

void explore_future(Scheduler& scheduler) {
    std::vector<Position> positions;
    for (Core* core : scheduler.cores) {
        for (KernelInstance* instance : core->instances) {
            if (instance->state == InstanceState::Blocked || instance->state == InstanceState::Polling) {
                positions.push_back(note_position(*instance));
            }
        }
    }
    scheduler.exploring = true;
    uint32_t endless = 0;
    for (size_t next = 0; next < positions.size() && endless < kEndless; next++) {
        if (scheduler.program.stop.load()) {
            break;
        }
        positions[next].is_unknown = !run_on(scheduler, *positions[next].instance);
        endless += positions[next].is_unknown ? 1 : 0;
    }
    scheduler.exploring = false;
    for (const Position& position : positions) {
        restore(position);
    }
}

}  // namespace tw
