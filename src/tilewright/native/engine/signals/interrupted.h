// SPDX-License-Identifier: Apache-2.0
// The state of the processor at which a signal found it, and the call stack of the kernel that ran there.
// Internal to signals/, like the handlers declared at the end.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include "program.h"

namespace tw {

struct Interrupted {
    uintptr_t program_counter = 0, frame_pointer = 0, stack_pointer = 0;

    explicit Interrupted(void* raw_context) {
        const auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
#if defined(__x86_64__)
        program_counter = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
        frame_pointer = static_cast<uintptr_t>(machine.gregs[REG_RBP]);
        stack_pointer = static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
        program_counter = machine.pc;
        frame_pointer = machine.regs[29];
        stack_pointer = machine.sp;
#else
        (void)machine;
#endif
    }
    bool is_in(const Kernel& kernel) const { return kernel.has_code_at(program_counter); }
    bool is_in_engine() const;
};

// Finds the engine's own code, which is_in_engine() compares with.
void find_engine_code();
// Notes the call stack of the running kernel, which has failed.
void note_stack_at(KernelInstance& instance, const Interrupted& at);
// The caller of a function that was interrupted before it set up its frame, after it left it, or in a stub of the
// linker. The frame pointer is the caller's there, and a walk over frames would miss the caller. 0: nothing is missed.
uintptr_t caller_without_frame(const Interrupted& at);
// A hash of the registers and the stack; 0 where the registers are not known. A kernel that runs alone and reaches the
// same state twice is in an endless loop.
uint64_t state_hash(const Interrupted& at, void* raw_context, const FiberStack& stack);

// fault.cpp
// Ends the run with a failure of the running kernel at this place, and the process after it.
void fail_at(void* raw_context, int signal_number, uintptr_t address, const char* text);
// Writes the crash record and notes the kernel's call stack.
void record_failure(
    RunStatus why,
    KernelInstance& instance,
    const Interrupted& at,
    int signal_number,
    uintptr_t address,
    const char* text);
// Back to the scheduler, which finds that the run has failed.
[[noreturn]] void leave_kernel(Scheduler& scheduler);
void on_fault(int signal_number, siginfo_t* info, void* raw_context);
// tick.cpp
int tick_signal();
void on_tick(int signal_number, siginfo_t* info, void* raw_context);
// l1_window.cpp: whether the address was a card's, and the running core's L1 is mapped there now.
bool show_l1_window(Scheduler& scheduler, uintptr_t address);

}  // namespace tw
