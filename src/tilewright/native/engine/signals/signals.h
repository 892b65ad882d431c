// SPDX-License-Identifier: Apache-2.0
// Signals of a process that runs programs, one at a time: what the rest of the engine and the runner call.
//
//   handlers.cpp     installs the handlers; Ctrl-C, and signals that a kernel sends to itself
//   fault.cpp        a fault in a kernel becomes an error of the run
//   tick.cpp         a timer that preempts kernels and enforces the limits of a run
//   l1_window.cpp    maps a core's L1 at the addresses a card uses
//   interrupted.cpp  the processor state and call stack at which a signal found a kernel
//
// A kernel is left in one of two ways. Interrupted in its own code or at a call of the engine, it leaves nothing half
// done and the process goes on. After a fault, or inside the C library, anything may be half done: the run is reported
// and the process ends (Program::process_must_end); its owner starts another.
#pragma once

#include <signal.h>

#include <cstdint>

namespace tw {

struct KernelInstance;
struct Scheduler;
class Program;

void install_signal_handlers();
// Whether a kernel runs on this thread.
bool is_in_kernel();
// From a signal handler: ends the run with an error of the running kernel, and the process after it.
void abort_kernel(void* raw_context, const char* text);
// From a signal handler: notes the call stack of the running kernel, which continues afterwards.
void note_where(KernelInstance& instance, void* raw_context);
// Adds the tick to a set of blocked signals, or removes it.
void block_ticks(sigset_t& blocked, bool block);
// Has the next tick of this thread come soon.
void hasten_tick();
// Unmaps the L1 that a scheduler's kernels see at a card's addresses.
void hide_l1_window(Scheduler& scheduler);
// Before a kernel of another core than the window's goes on.
void move_l1_window(Scheduler& scheduler, const KernelInstance& instance);

// The program that Ctrl-C stops, for as long as it runs.
class RunScope {
public:
    explicit RunScope(Program& program);
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;
};

// The signal stack and the tick of a thread, for as long as it runs kernels.
class ThreadSignals {
public:
    ThreadSignals();
    ~ThreadSignals();
    ThreadSignals(const ThreadSignals&) = delete;
    ThreadSignals& operator=(const ThreadSignals&) = delete;
};

}  // namespace tw
