// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of a set of cores on one OS thread, a round at a time (run_loop.h): core after core, each until all
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

// The first error of a scheduler's kernels.
struct KernelFailure {
    KernelInstance* instance = nullptr;
    std::string text;
    Rule rule = Rule::None;
};

struct Scheduler {
    Scheduler(Program& program, const RunOptions& options, uint32_t index) :
        program(program),
        options(options),
        index(index),
        outbox(options.checked && options.seed != 0),
        place(options.threads == 1 ? &g_crash_record->place : &unseen_place_),
        shared_l1_(program, !options.keep_l1) {}

    // Sets the priorities of a randomised schedule, once the scheduler has its cores.
    void draw_priorities();
    // Runs every core once, until its kernels wait.
    void run_round();
    // State of a randomised schedule; null: the schedule is fixed.
    uint64_t* randomness() { return options.seed != 0 ? &random_state_ : nullptr; }
    // Whether all kernels have finished. Removes finished cores.
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
    bool ran = false;  // whether any kernel ran in the last round
    KernelFailure failure;
    std::unordered_map<uint64_t, SemaphoreRaise> raises;  // by its kernels; see Program::raises
    ThreadTeam* team = nullptr;
    FiberContext home;  // where fibers switch back to
    sigjmp_buf fault_landing;  // where a fault in a fiber lands
    KernelInstance* current = nullptr;
    uint64_t switches = 0;
    uint64_t acknowledged = 0;  // write barriers of its kernels
    uint64_t progress = 0;  // incremented by anything another kernel could wait for
    // For the tick: a fiber that runs at two ticks in a row is spinning.
    uint64_t tick_switches = 0;
    uint32_t ticks_in_slice = 0;  // of the running fiber
    uint32_t ticks_since_stop = 0;
    // The fiber has run for long and yields at its next print, or at its next load or store if those are instrumented.
    volatile bool yield_requested = false;
    uint64_t moved_at_tick = 0;
    double stalled_since = 0;  // since when the running kernel is outside its own code and nothing has progressed
    double deadline = 0;  // on the monotonic clock; 0: none
    KernelPlace* place;  // shows the owner which kernel runs
    Core* window_core = nullptr;  // the core whose L1 is mapped at a card's addresses
    uint64_t lookahead_calls = 0;  // calls of circular buffers during the look-ahead
    uint64_t lookahead_state = 0;  // state hash of the kernel interrupted last, during the look-ahead
    uint64_t blocks = 0;  // basic blocks executed, where kernels are instrumented to count them
    uint64_t blocks_at_call = 0;  // at the last call of the kernel that is looked ahead
    bool looking_ahead = false;  // after a deadlock: waits are passed, no data is moved (deadlock_lookahead.h)
    volatile bool abandon = false;  // the run has ended: the kernel is left at its next call of the engine

    // --- called from inside a fiber ---
    void suspend(InstanceState state, WaitKind kind, uint32_t cb, uint32_t amount);
    [[noreturn]] void abandon_current();
    // Records an error of the running kernel; the caller leaves the kernel.
    void fail(const std::string& text, Rule rule);
    // A point where a randomised schedule may switch to another kernel.
    void preempt();
    // Prints on the thread's own stack, where no tick can preempt the kernel in the middle of a line.
    void print(const std::string& line);

    // Extends all time limits by the time a debugger held the kernel.
    void extend_deadlines(double seconds);

    // Runs a kernel until it waits, ends or is interrupted. Of split threads it runs the one given, by default the next
    // that can run.
    void resume(KernelInstance& instance);
    void resume(KernelInstance& instance, uint32_t thread);

private:
    bool run_core(Core& core);
    bool run_cores();
    KernelInstance* highest_priority();
    bool run_by_priority();
    const Kernel* kernel_of_seed() const;
    bool wake(KernelInstance& instance);
    static bool is_finished(const Core& core);
    void swap_statics(KernelInstance& instance);
    void run_fiber(KernelInstance& instance);

    KernelPlace unseen_place_{};
    SharedL1 shared_l1_;
    bool first_round_ = true;
    const std::string* line_to_print_ = nullptr;
    uint64_t random_state_ = 0;
    int64_t lowest_priority_ = 0;
    const Kernel* directed_kernel_ = nullptr;  // in the directed schedules of small seeds
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

// Whether the polled memory holds what the kernel waits for.
bool poll_met(const FiberStatus& fiber);
// Kernels compute without denormals, like the hardware. The system resets this processor mode when it calls a signal
// handler.
void flush_denormals();
double monotonic_seconds();
uint64_t wall_clock_cycles(const Chip& chip);
void update_wall_clock(KernelInstance& instance);
void fiber_entry();

// debug.cpp: prints a line, or the rest of one without a newline.
void show_line(KernelInstance& instance, const std::string& line);
void flush_print(KernelInstance& instance);

// Processor mode and signals of a thread while it runs kernels.
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
