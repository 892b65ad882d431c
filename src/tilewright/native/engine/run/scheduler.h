// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of a set of cores on one OS thread, a round at a time (run_loop.h): each core in its turn, until all
// its kernels wait.
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "outbox.h"
#include "program.h"
#include "signals/crash_record.h"
#include "signals/signals.h"

namespace tw {

class ThreadTeam;

// An error a kernel made; the first one of a scheduler.
struct KernelFailure {
    KernelInstance* instance = nullptr;
    std::string text;
    const char* rule = nullptr;
};

struct Scheduler {
    Scheduler(Program& program, const RunOptions& options, uint32_t index) :
        program(program),
        options(options),
        index(index),
        outbox(options.checked && options.seed != 0),
        place(options.threads == 1 ? &g_watch->place : &unseen_place_),
        shared_l1_(program, !options.keep_l1) {}

    // Once it has its cores: the order of a seed.
    void draw_priorities();
    // Every core once, as far as it gets.
    void run_round();
    // Whether all of its kernels have ended; cores that have are not looked at again.
    bool all_finished();
    // The run has ended, or a core before those of this scheduler has failed.
    bool stopped() const {
        return program.stop.load(std::memory_order_relaxed) ||
               program.first_failed.load(std::memory_order_relaxed) <= index;
    }

    Program& program;
    const RunOptions& options;
    const uint32_t index;  // schedulers are numbered in the order of their cores
    std::vector<Core*> cores;
    Outbox outbox;
    bool ran = false;  // anything, in the last round
    KernelFailure failure;
    std::unordered_map<uint64_t, SemaphoreRaise> raises;  // by its kernels; see Program::raises
    ThreadTeam* team = nullptr;
    FiberContext home;  // where fibers switch back to
    sigjmp_buf fault_landing;  // where a fault in a fiber lands
    KernelInstance* current = nullptr;
    uint64_t switches = 0;
    uint64_t progress = 0;  // raised by anything another kernel could be waiting for
    // For the tick: the same fiber running at two ticks in a row is spinning.
    uint64_t tick_switches = 0;
    uint32_t ticks_in_slice = 0;  // of the fiber that runs
    uint32_t ticks_since_stop = 0;
    volatile bool yield_requested =
        false;  // it has run for long: at its next line, or load or store if those are watched
    uint64_t moved_at_tick = 0;
    double stalled_since = 0;  // the running kernel stands outside its own code and nothing has moved
    double deadline = 0;  // on the monotonic clock; 0: none
    TwPlace* place;  // where to say which kernel runs
    Core* window_core = nullptr;  // whose L1 is shown at the addresses a card uses
    uint64_t lookahead_calls = 0;  // of circular buffers, while looking_ahead
    uint64_t lookahead_state = 0;  // of the kernel that was interrupted last, while looking_ahead
    uint64_t blocks = 0;  // basic blocks of kernels in which the compiler counts them
    uint64_t blocks_at_call = 0;  // at the last call of the explored kernel
    bool looking_ahead = false;  // after a deadlock: waits are let through, nothing is moved (deadlock_lookahead.h)
    volatile bool abandon = false;  // the run has ended: the kernel leaves at its next call into the engine

    // --- called from inside a fiber ---
    void suspend(InstanceState state, WaitKind kind, uint32_t cb, uint32_t amount);
    [[noreturn]] void abandon_current();
    // The running kernel has made an error; the caller leaves it.
    void fail(const std::string& text, const char* rule);
    // A place where a run with a seed may let another kernel go first.
    void preempt();
    // Lines are sent from the thread's own stack: no tick may take the turn of a kernel in the middle of one.
    void print(const std::string& line);

    // Time in which somebody looked at a stopped kernel is not the run's.
    void forgive(double seconds);

    // Runs a kernel until it waits, ends or is interrupted; where its threads have parted, the one given, which by
    // default is the next that can run.
    void resume(KernelInstance& instance);
    void resume(KernelInstance& instance, uint32_t thread);

private:
    bool run_core(Core& core);
    bool run_cores();
    KernelInstance* highest_priority();
    bool run_by_priority();
    const Kernel* kernel_of_seed() const;
    uint64_t random();
    bool wake(KernelInstance& instance);
    static bool is_finished(const Core& core);
    void swap_statics(KernelInstance& instance);
    void run_fiber(KernelInstance& instance);

    TwPlace unseen_place_{};
    SharedL1 shared_l1_;
    bool first_round_ = true;
    const std::string* line_to_print_ = nullptr;
    uint64_t random_state_ = 0;
    int64_t lowest_priority_ = 0;
    const Kernel* directed_kernel_ = nullptr;  // in the directed order of a small seed
};

extern constinit thread_local Scheduler* t_scheduler __attribute__((tls_model("initial-exec"), visibility("hidden")));
// The scheduler of this OS thread; null outside a run.
inline Scheduler*& this_scheduler() { return t_scheduler; }

inline KernelInstance& current_instance() {
    Scheduler& scheduler = *this_scheduler();
    if (__builtin_expect(scheduler.abandon, 0)) {
        scheduler.abandon_current();
    }
    return *scheduler.current;
}

// Whether the memory a polling kernel looks at holds what it waits for.
bool poll_met(const FiberStatus& fiber);
// The hardware has no denormals; the system clears this mode of the processor when it calls a signal handler.
void flush_denormals();
double monotonic_seconds();
void fiber_entry();

// debug.cpp: shows a line, or a last one that did not end in a newline.
void show_line(KernelInstance& instance, const std::string& line);
void flush_print(KernelInstance& instance);

// How the processor is set while kernels run on a thread, and its signals: what a kernel computes flushes denormals, as
// on a card.
class KernelMode {
public:
    KernelMode();
    ~KernelMode();
    KernelMode(const KernelMode&) = delete;
    KernelMode& operator=(const KernelMode&) = delete;

private:
    uint64_t saved_mode_;
    ThreadSignals signals_;
};

}  // namespace tw
