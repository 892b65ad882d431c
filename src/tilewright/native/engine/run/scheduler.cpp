// SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

#include <time.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "check/hooks.h"
#include "fabric/fabric.h"
#include "mixing.h"
#include "threads.h"
#include "tile/deferred_dst.h"

namespace tw {

constinit thread_local Scheduler* t_scheduler = nullptr;

double monotonic_seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

uint64_t wall_clock_cycles(const Chip& chip) {
    return static_cast<uint64_t>(monotonic_seconds() * chip.config().clock_hz);
}

void update_wall_clock(KernelInstance& instance) {
    const uint64_t cycles = wall_clock_cycles(instance.scheduler->program.chip);
    instance.wall_clock[0] = static_cast<uint32_t>(cycles);
    instance.wall_clock[1] = static_cast<uint32_t>(cycles >> 32u);
}

void flush_denormals() {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040u);
#elif defined(__aarch64__)
    uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    asm volatile("msr fpcr, %0" : : "r"(mode | (1ull << 24)));
#endif
}

static uint64_t processor_mode() {
#if defined(__x86_64__)
    return _mm_getcsr();
#elif defined(__aarch64__)
    uint64_t mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}

KernelMode::KernelMode() : saved_mode_(processor_mode()) { flush_denormals(); }

KernelMode::~KernelMode() {
#if defined(__x86_64__)
    _mm_setcsr(static_cast<unsigned>(saved_mode_));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(saved_mode_));
#endif
}

void fiber_entry() {
    KernelInstance& instance = current_instance();
    const Kernel& kernel = *instance.kernel;
    kernel.code[kernel.is_compiled_per_thread() ? thread_index(instance.threads) : 0].entry();
    on_end(instance);
    instance.scheduler->progress++;
    instance.scheduler->suspend(InstanceState::Finished, WaitKind::None, 0, 0);
    __builtin_unreachable();
}

void Scheduler::suspend(InstanceState state, WaitKind kind, uint32_t cb, uint32_t amount) {
    KernelInstance& instance = *current;
    if (instance.core->compute != nullptr) {
        materialize(*instance.core->compute);
    }
    on_suspended(instance);
    instance.state = state;
    instance.wait_kind = kind;
    instance.wait_cb = cb;
    instance.wait_amount = amount;
    const uint32_t die = t_die;  // a packet may be on another one
    fiber_switch(instance.fiber, home);
    t_die = die;
}

void Scheduler::abandon_current() {
    current->state = InstanceState::Failed;
    fiber_switch(current->fiber, home);
    __builtin_unreachable();
}

void Scheduler::fail(const std::string& text, Rule rule) {
    failure = {current, text, rule};
    uint32_t first = program.first_failed.load();
    while (index < first && !program.first_failed.compare_exchange_weak(first, index)) {
    }
}

void Scheduler::swap_statics(KernelInstance& instance) {
    Kernel& kernel = *instance.kernel;
    if (kernel.statics_owner == &instance) {
        return;
    }
    // Kernels with the same code have one library.
    for (const auto& other : instance.scheduler->program.kernels) {
        if (other->statics_owner != nullptr && other->code.front().statics == kernel.code.front().statics) {
            other->save_statics(other->statics_owner->statics.data());
            other->statics_owner = nullptr;
        }
    }
    kernel.put_statics(instance.statics.data());
    kernel.statics_owner = &instance;
}

void Scheduler::resume(KernelInstance& instance) {
    resume(instance, instance.split != nullptr ? next_thread(instance) : kNumThreads);
}

void Scheduler::resume(KernelInstance& instance, uint32_t thread) {
    if (instance.kernel->statics_bytes != 0) {
        swap_statics(instance);
    }
    if (window_core != instance.core && (window_core != nullptr || instance.uses_window)) {
        move_l1_window(*this, instance);
    }
    if (instance.split != nullptr) [[unlikely]] {
        enter_thread(instance, thread);
    }
    instance.state = InstanceState::Ready;
    instance.wait_kind = WaitKind::None;
    if (instance.reads_wall_clock) [[unlikely]] {
        update_wall_clock(instance);
    }
    if (instance.polls_memory) [[unlikely]] {
        hasten_tick();
    }
    switches++;
    *place = instance.place;
    run_fiber(instance);
    while (line_to_print_ != nullptr) {
        const std::string& line = *line_to_print_;
        line_to_print_ = nullptr;
        show_line(instance, line);
        if (yield_requested) {
            yield_requested = false;
            instance.state = InstanceState::Yielded;
            break;
        }
        run_fiber(instance);
    }
    if (instance.split != nullptr) [[unlikely]] {
        leave_thread(instance);
    }
}

void Scheduler::run_fiber(KernelInstance& instance) {
    current = &instance;
    t_die = instance.core->die;
    fiber_switch(home, instance.fiber);
    current = nullptr;
}

void Scheduler::print(const std::string& line) {
    line_to_print_ = &line;
    fiber_switch(current->fiber, home);
}

bool poll_met(const FiberStatus& fiber) {
    return fiber.wait_kind == WaitKind::SemaphoreEqual ? *fiber.wait_address == fiber.wait_amount
                                                       : *fiber.wait_address >= fiber.wait_amount;
}

bool Scheduler::wake(KernelInstance& instance) {
    if (instance.split != nullptr) [[unlikely]] {
        return next_thread(instance) != kNumThreads;
    }
    switch (instance.state) {
        case InstanceState::Ready: return true;
        case InstanceState::Polling: return poll_met(instance);
        default: return false;
    }
}

// Runs the core's kernels until all of them wait. Returns whether anything ran.
bool Scheduler::run_core(Core& core) {
    bool ran = false;
    bool again = true;
    while (again && !stopped()) {
        again = false;
        for (KernelInstance* instance : core.instances) {
            if (wake(*instance)) {
                resume(*instance);
                ran = again = true;
            }
        }
    }
    return ran;
}

// Runs every core once. In the first round all of them start.
bool Scheduler::run_cores() {
    bool ran = false;
    for (Core* core : cores) {
        if (first_round_) {
            shared_l1_.enter(*core);
        }
        outbox.begin_core();
        ran |= run_core(*core);
        if (first_round_) {
            shared_l1_.leave(*core, is_finished(*core));
        }
    }
    first_round_ = false;
    return ran;
}

// A randomised schedule always runs the kernel of highest priority that can run, so one gets as far ahead of the others
// as the program permits. The seed sets the priorities; preempt() changes them during the run.
KernelInstance* Scheduler::highest_priority() {
    KernelInstance* next = nullptr;
    for (Core* core : cores) {
        for (KernelInstance* instance : core->instances) {
            if (wake(*instance) && (next == nullptr || instance->priority > next->priority)) {
                next = instance;
            }
        }
    }
    return next;
}

bool Scheduler::run_by_priority() {
    bool ran = false;
    while (!stopped()) {
        KernelInstance* next = highest_priority();
        if (next == nullptr) {
            break;
        }
        resume(*next);
        ran = true;
    }
    return ran;
}

// The first seeds are the directed schedules that expose most bugs: each kernel of the program once ahead of all
// others, and once only when no other can run. Later seeds are random.
const Kernel* Scheduler::kernel_of_seed() const {
    const uint64_t index = (options.seed - 1) / 2;
    return options.seed == 0 || index >= program.kernels.size() ? nullptr : program.kernels[index].get();
}

void Scheduler::draw_priorities() {
    constexpr auto kFirst = std::numeric_limits<int64_t>::max(), kLast = std::numeric_limits<int64_t>::min();
    random_state_ = options.seed;
    directed_kernel_ = kernel_of_seed();
    for (Core* core : cores) {
        for (KernelInstance* instance : core->instances) {
            instance->priority = static_cast<int64_t>(next_random(random_state_) >> 1);
            if (instance->kernel == directed_kernel_) {
                instance->priority = options.seed % 2 != 0 ? kFirst : kLast;
            }
        }
    }
}

void Scheduler::preempt() {
    constexpr uint64_t kCallsBetweenTurns = 16;
    if (options.seed == 0) {
        return;
    }
    if (current->is_late) {
        current->is_late = false;
        const int64_t priority = std::exchange(current->priority, std::numeric_limits<int64_t>::min());
        if (highest_priority() != current) {
            suspend(InstanceState::Ready, WaitKind::None, 0, 0);
        }
        current->priority = priority;
    }
    if (Fabric* fabric = program.chip.fabric(); fabric != nullptr && !fabric->links().empty() && !looking_ahead) {
        progress += fabric->links().step(&random_state_) ? 1 : 0;
    }
    if (next_random(random_state_) % kCallsBetweenTurns == 0 && current->kernel != directed_kernel_) {
        current->priority = --lowest_priority_;
    }
    if (highest_priority() != current) {
        suspend(InstanceState::Ready, WaitKind::None, 0, 0);
    }
}

bool Scheduler::is_finished(const Core& core) {
    return std::all_of(core.instances.begin(), core.instances.end(), [](const KernelInstance* instance) {
        return instance->state == InstanceState::Finished;
    });
}

bool Scheduler::all_finished() {
    auto finished = [](const Core* core) { return is_finished(*core); };
    cores.erase(std::remove_if(cores.begin(), cores.end(), finished), cores.end());
    return cores.empty();
}

void Scheduler::extend_deadlines(double seconds) {
    deadline += deadline != 0 ? seconds : 0;
    stalled_since += seconds;
    progress += seconds > 0 ? 1 : 0;  // counts as progress, so that no kernel is reported as polling in vain
    tick_switches = ~switches;  // a tick that was pending meanwhile preempts no kernel
}

void Scheduler::run_round() {
    ran = true;
    // A fault in a fiber lands here, with the fiber marked as failed.
    if (sigsetjmp(fault_landing, 0) != 0) {
        current = nullptr;
        return;
    }
    ran = options.seed != 0 ? run_by_priority() : run_cores();
}

}  // namespace tw
