// SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

#include <time.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "check/compute/operands.h"
#include "future.h"
#include "threads.h"

namespace tw {

constinit thread_local Scheduler* t_scheduler = nullptr;

double monotonic_seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
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

// What a kernel or tile operation computes flushes denormals, as on a card.
namespace {
class FlushDenormals {
public:
#if defined(__x86_64__)
    FlushDenormals() : saved_(_mm_getcsr()) { flush_denormals(); }
    ~FlushDenormals() { _mm_setcsr(saved_); }

private:
    unsigned saved_;
#elif defined(__aarch64__)
    FlushDenormals() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        flush_denormals();
    }
    ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }

private:
    uint64_t saved_;
#else
    FlushDenormals() {}
#endif
};
}  // namespace

void fiber_entry() {
    KernelInstance& instance = current_instance();
    instance.kernel->entry();
    if (instance.checks != nullptr) {
        if (is_last_thread(instance)) {
            instance.checks->noc.exit(instance);
        }
        check_dst_at_end(instance);
    }
    instance.scheduler->progress++;
    instance.scheduler->suspend(InstanceState::Finished, WaitKind::None, 0, 0);
    __builtin_unreachable();
}

void Scheduler::suspend(InstanceState state, WaitKind kind, uint32_t cb, uint32_t amount) {
    KernelInstance& instance = *current;
    instance.state = state;
    instance.wait_kind = kind;
    instance.wait_cb = cb;
    instance.wait_amount = amount;
    fiber_switch(instance.fiber, home);
}

void Scheduler::abandon_current() {
    current->state = InstanceState::Failed;
    fiber_switch(current->fiber, home);
    __builtin_unreachable();
}

void Scheduler::swap_statics(KernelInstance& instance) {
    Kernel& kernel = *instance.kernel;
    if (kernel.statics_owner == &instance) {
        return;
    }
    if (kernel.statics_owner != nullptr) {
        std::memcpy(kernel.statics_owner->statics.data(), kernel.statics, kernel.statics_bytes);
    }
    std::memcpy(kernel.statics, instance.statics.data(), kernel.statics_bytes);
    kernel.statics_owner = &instance;
}

void Scheduler::resume(KernelInstance& instance) {
    resume(instance, instance.parted != nullptr ? next_thread(instance) : kNumThreads);
}

void Scheduler::resume(KernelInstance& instance, uint32_t thread) {
    if (instance.kernel->statics_bytes != 0) {
        swap_statics(instance);
    }
    if (window_core != nullptr && window_core != instance.core) {
        hide_l1_window(*this);
    }
    if (instance.parted != nullptr) [[unlikely]] {
        enter_thread(instance, thread);
    }
    instance.state = InstanceState::Ready;
    instance.wait_kind = WaitKind::None;
    switches++;
    *place = instance.place;
    run_fiber(instance);
    while (line_to_print_ != nullptr) {
        const std::string& line = *line_to_print_;
        line_to_print_ = nullptr;
        show_line(instance, line);
        if (give_turn) {
            give_turn = false;
            instance.state = InstanceState::Yielded;
            break;
        }
        run_fiber(instance);
    }
    if (instance.parted != nullptr) [[unlikely]] {
        leave_thread(instance);
    }
}

void Scheduler::run_fiber(KernelInstance& instance) {
    current = &instance;
    fiber_switch(home, instance.fiber);
    current = nullptr;
}

void Scheduler::print(const std::string& line) {
    line_to_print_ = &line;
    fiber_switch(current->fiber, home);
}

bool poll_met(const Standing& standing) {
    return standing.wait_kind == WaitKind::SemaphoreEqual ? *standing.wait_address == standing.wait_amount
                                                          : *standing.wait_address >= standing.wait_amount;
}

bool Scheduler::wake(KernelInstance& instance) {
    if (instance.parted != nullptr) [[unlikely]] {
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
    while (again && !program.stop.load(std::memory_order_relaxed)) {
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

// Every core once. In the first round all of them begin.
bool Scheduler::run_cores() {
    bool ran = false;
    for (Core* core : cores) {
        if (first_round_) {
            turns_.enter(*core);
        }
        ran |= run_core(*core);
        if (first_round_) {
            turns_.leave(*core, is_finished(*core));
        }
    }
    first_round_ = false;
    return ran;
}

// The order of a seed: always the kernel of highest priority that can run, so that one gets as far ahead of the others
// as the program lets it. Priorities are the seed's; preempt() changes them on the way.
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
    while (!program.stop.load(std::memory_order_relaxed)) {
        KernelInstance* next = highest_priority();
        if (next == nullptr) {
            break;
        }
        resume(*next);
        ran = true;
    }
    return ran;
}

// splitmix64: small, and the same everywhere.
uint64_t Scheduler::random() {
    uint64_t mixed = random_state_ += 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
    return mixed ^ (mixed >> 31);
}

// The first seeds are the orders in which most goes wrong: each kernel of the program once always ahead of all others,
// and once only when nobody else can go on. The seeds after them are random orders.
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
            instance->priority = static_cast<int64_t>(random() >> 1);
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
    if (random() % kCallsBetweenTurns == 0 && current->kernel != directed_kernel_) {
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

KernelInstance* Scheduler::next_yielded() {
    for (Core* core : cores) {
        for (KernelInstance* instance : core->instances) {
            bool yielded = false;
            for_each_standing(
                *instance, [&](const Standing& each) { yielded |= each.state == InstanceState::Yielded; });
            if (yielded) {
                return instance;
            }
        }
    }
    return nullptr;
}

// Everybody had a turn: those that gave theirs away may run again.
void Scheduler::release_yielded() {
    for (Core* core : cores) {
        for (KernelInstance* instance : core->instances) {
            for_each_standing(*instance, [](Standing& each) {
                each.state = each.state == InstanceState::Yielded ? InstanceState::Ready : each.state;
            });
        }
    }
}

// Kernels that only poll memory, with nothing changing it, are ended after the spin limit.
void Scheduler::watch_for_spinning(KernelInstance* polling) {
    if (polling == nullptr || progress != spin_progress_) {
        spin_progress_ = progress;
        spin_since_ = 0;
        return;
    }
    const double now = monotonic_seconds();
    if (spin_since_ == 0) {
        spin_since_ = now;
    } else if (now - spin_since_ > options.spin_limit_seconds) {
        for_each_standing(*polling, [](Standing& each) {
            each.wait_kind = each.state == InstanceState::Yielded ? WaitKind::Spin : each.wait_kind;
        });
        program.fail(RunStatus::Spinning, polling, "");
    }
}

void Scheduler::report_deadlock() {
    for (Core* core : cores) {
        for (KernelInstance* instance : core->instances) {
            if (instance->state == InstanceState::Blocked || instance->state == InstanceState::Polling) {
                program.note_failure(RunStatus::Deadlock, instance, "");
                if (instance->checks != nullptr) {
                    instance->checks->noc.stuck(program);
                }
                return;
            }
        }
    }
}

// A kernel that polls may be freed by a core of another thread. Returns whether one was, or the run has ended.
bool Scheduler::wait_for_other_threads() {
    auto is_polling = [](const KernelInstance* instance) { return instance->state == InstanceState::Polling; };
    const bool polling = std::any_of(cores.begin(), cores.end(), [&](const Core* core) {
        return std::any_of(core->instances.begin(), core->instances.end(), is_polling);
    });
    if (options.threads == 1 || !polling) {
        return false;
    }
    program.moving--;
    bool goes_on = false;
    while (!goes_on && !(program.moving.load() == 0 && !program.any_poll_met())) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        goes_on =
            program.stop.load() || std::any_of(cores.begin(), cores.end(), [&](const Core* core) {
                return std::any_of(core->instances.begin(), core->instances.end(), [&](const KernelInstance* instance) {
                    return is_polling(instance) && poll_met(*instance);
                });
            });
    }
    program.moving++;
    return goes_on;
}

// Nothing moves: what compute kernels would still do with their threads apart. Returns whether there is anything.
bool Scheduler::loosen_compute_kernels() {
    bool loosened = false;
    for (Core* core : cores) {
        for (KernelInstance* instance : core->instances) {
            loosened |= loosen_threads(*instance);
        }
    }
    return loosened;
}

void Scheduler::run() {
    this_scheduler() = this;
    const FlushDenormals flush;
    const ThreadSignals signals;
    draw_priorities();
    // A fault in a fiber comes back here with the fiber marked as failed.
    if (sigsetjmp(fault_landing, 0) != 0) {
        current = nullptr;
    }
    while (!program.stop.load(std::memory_order_relaxed)) {
        const uint64_t progress_before = progress;
        const bool ran = options.seed != 0 ? run_by_priority() : run_cores();
        if (program.stop.load(std::memory_order_relaxed) || all_finished()) {
            break;
        }
        KernelInstance* polling = next_yielded();
        if (!ran && polling == nullptr) {
            if (wait_for_other_threads() || loosen_compute_kernels()) {
                continue;
            }
            report_deadlock();
            program.finish_checks();
            explore_future(*this);
            break;
        }
        if (progress == progress_before) {
            loosen_compute_kernels();
        }
        watch_for_spinning(polling);
        release_yielded();
    }
    program.moving--;
    hide_l1_window(*this);
    this_scheduler() = nullptr;
}

}  // namespace tw
