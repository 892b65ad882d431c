// SPDX-License-Identifier: Apache-2.0
// A timer signal every 20 ms on each thread that runs kernels. It preempts kernels that spin on memory, and it ends runs
// that were stopped, exceed their time limit or no longer move.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "interrupted.h"
#include "run/scheduler.h"
#include "signals.h"

namespace tw {

static constexpr size_t kAlternateStackBytes = 128 * 1024;
static constexpr long kTickNanoseconds = 20'000'000;
// Kernels that poll memory without a call get shorter turns once a tick has met them in their own code: others may
// have to go on in between, many times.
static constexpr long kPollNanoseconds = 100'000;
// Ticks a kernel may take to return from the engine after the run was stopped.
static constexpr uint32_t kTicksToLeave = 10;

int tick_signal() { return SIGRTMIN + 3; }

namespace {

// The alternate stack of a thread's signal handlers.
class SignalStack {
public:
    ~SignalStack() {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }
    // Set for each run anew: a kernel is native code and may have replaced it.
    void use() {
        if (memory_ == nullptr) {
            memory_ = std::make_unique<uint8_t[]>(kAlternateStackBytes);
        }
        stack_t stack{};
        stack.ss_sp = memory_.get();
        stack.ss_size = kAlternateStackBytes;
        sigaltstack(&stack, nullptr);
    }

private:
    std::unique_ptr<uint8_t[]> memory_;
};

// The timer of a thread. It keeps running for a while after a run: starting and stopping it would cost a small run as
// much as all else around it, and most short runs follow another. Its signals arrive on the thread itself. So nothing
// here runs concurrently, but on_tick() may interrupt any line.
class Tick {
public:
    ~Tick() {
        if (exists_) {
            timer_delete(timer_);
        }
    }
    void begin_run() {
        in_run_ = true;  // set before is_going_ is read: from here on the timer does not stop
        if (!is_going_) {
            is_going_ = set(kTickNanoseconds, kTickNanoseconds);
        }
    }
    void end_run() {
        idle_ticks_ = 0;
        in_run_ = false;
    }
    // At a tick outside a run: the second one stops the timer.
    void rest() {
        if (!in_run_ && ++idle_ticks_ > 1) {
            set(0, 0);
            is_going_ = false;
        }
    }
    void come_soon() { set(kPollNanoseconds, kTickNanoseconds); }

private:
    bool set(long first, long nanoseconds) {
        exists_ = exists_ || create();
        const itimerspec interval{{0, nanoseconds}, {0, first}};
        return exists_ && timer_settime(timer_, 0, &interval, nullptr) == 0;
    }
    bool create() {
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = tick_signal();
#ifdef sigev_notify_thread_id
        event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
#else
        event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
#endif
        return timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    }

    timer_t timer_{};
    bool exists_ = false;
    volatile bool is_going_ = false, in_run_ = false;
    uint32_t idle_ticks_ = 0;
};

thread_local SignalStack t_signal_stack;
thread_local Tick t_tick;

}  // namespace

ThreadSignals::ThreadSignals() {
    t_signal_stack.use();
    t_tick.begin_run();
}

ThreadSignals::~ThreadSignals() { t_tick.end_run(); }

void hasten_tick() { t_tick.come_soon(); }

void block_ticks(sigset_t& blocked, bool block) {
    static_cast<void>(block ? sigaddset(&blocked, tick_signal()) : sigdelset(&blocked, tick_signal()));
}

// The run was stopped while the kernel is in the engine or in the C library.
static void stop_outside_kernel(Scheduler& scheduler, const Interrupted& at) {
    scheduler.abandon = true;  // at its next call of the engine, when nothing is half done
    scheduler.ticks_since_stop++;
    if (at.is_in_engine() && scheduler.ticks_since_stop < kTicksToLeave) {
        return;
    }
    KernelInstance& instance = *scheduler.current;
    const auto status = static_cast<RunStatus>(scheduler.program.status.load());
    record_failure(status != RunStatus::Ok ? status : RunStatus::KernelError, instance, at, 0, 0, "");
    leave_kernel(scheduler);
}

// A kernel that loops or blocks in the C library makes no progress either. On a busy machine the next tick may interrupt
// this one while it reads the clock, so the fields are consistent at that point.
static void watch_outside_kernel(Scheduler& scheduler, const Interrupted& at) {
    const double now = monotonic_seconds();
    const uint64_t moved = scheduler.progress + scheduler.switches;
    if (at.is_in_engine() || moved != scheduler.moved_at_tick || scheduler.stalled_since == 0) {
        scheduler.stalled_since = now;
        scheduler.moved_at_tick = moved;
    } else if (now - scheduler.stalled_since > scheduler.options.spin_limit_seconds) {
        scheduler.current->wait_kind = WaitKind::Spin;
        scheduler.program.fail(RunStatus::Spinning, scheduler.current, "");
    }
}

// Counts the ticks in which the same fiber has run. After kTicksToLeave a checked run yields at its next load or store
// (memory_access.cpp), and any run at its next print (scheduler.cpp). The limit is high: results should not depend on time.
static void request_yield(Scheduler& scheduler) {
    scheduler.ticks_in_slice = scheduler.switches == scheduler.tick_switches ? scheduler.ticks_in_slice + 1 : 0;
    scheduler.tick_switches = scheduler.switches;
    scheduler.yield_requested = scheduler.ticks_in_slice >= kTicksToLeave;
}

// Shows the owner that signals arrive, and ends a run that is over its time limit.
static void beat(Scheduler& scheduler) {
    __atomic_fetch_add(&g_crash_record->beats, 1, __ATOMIC_RELAXED);  // ticks of several threads
    if (scheduler.deadline != 0 && monotonic_seconds() > scheduler.deadline) {
        scheduler.program.fail(RunStatus::TimeLimit, scheduler.current, "");
    }
}

// The interrupted code finds its errno, whatever ran meanwhile.
struct KeptErrno {
    const int value = errno;
    ~KeptErrno() { errno = value; }
};

void on_tick(int, siginfo_t*, void* raw_context) {
    const KeptErrno kept;
    Scheduler* scheduler = this_scheduler();
    if (scheduler == nullptr) {
        t_tick.rest();
        return;
    }
    beat(*scheduler);
    if (scheduler->current == nullptr) {
        request_yield(*scheduler);
        return;
    }
    KernelInstance& instance = *scheduler->current;
    if (instance.reads_wall_clock) {
        update_wall_clock(instance);
    }
    const Interrupted at(raw_context);
    if (!at.is_in(*instance.kernel)) {
        watch_outside_kernel(*scheduler, at);
        if (scheduler->stopped()) {
            stop_outside_kernel(*scheduler, at);
        }
        request_yield(*scheduler);
        return;
    }
    if (!scheduler->stopped() && !instance.polls_memory && scheduler->switches != scheduler->tick_switches) {
        request_yield(*scheduler);
        return;
    }
    instance.failed_program_counter = at.program_counter;
    instance.failed_frame_pointer = at.frame_pointer;
    if (scheduler->stopped()) {
        instance.state = InstanceState::Failed;
        siglongjmp(scheduler->fault_landing, 1);
    }
    instance.failed_caller = caller_without_frame(at);
    if (scheduler->looking_ahead) {
        scheduler->lookahead_state = state_hash(at, raw_context, *instance.stack);
    }
    flush_denormals();
    instance.polls_memory = true;
    scheduler->suspend(InstanceState::Yielded, WaitKind::None, 0, 0);
    instance.failed_program_counter = instance.failed_caller = 0;
}

}  // namespace tw
