// SPDX-License-Identifier: Apache-2.0
// Stops kernels of one run at breakpoints, and steps them from call to call.
//
// A breakpoint is a trap instruction written over the kernel's code for the duration of the run, so kernels are
// compiled as usual and other runs cost nothing. The trap's signal arrives while a kernel is in its own code, where no
// call of the engine is half done: all state can be inspected before it continues. To continue, the original
// instruction is restored for one single-step of the processor. A call is stepped over by a trap at its return address.
//
// A run may watch instructions instead: executions are counted, and nothing stops. A watched instruction may be late: the
// kernel then waits at its next call of the engine until no other kernel can run, in a randomised schedule.
#pragma once

#include <signal.h>

#include <cstdint>
#include <map>
#include <vector>

#include "wire/runner.h"

namespace tw {

using wire::BreakpointMessage;
using wire::CodeLineMessage;
using wire::Go;
using wire::StopPlace;
using wire::StopReason;
using wire::WatchedInstruction;
using wire::WatchReport;

class Program;
struct KernelInstance;

class Debugger {
public:
    // Called at every stop, in a signal handler; returns how to continue. May set other breakpoints.
    using StopHandler = Go (*)(Debugger& debugger, const StopPlace& stop);

    Debugger(Program& program, const CodeLineMessage* lines, uint64_t num_lines, StopHandler on_stop);
    ~Debugger();
    Debugger(const Debugger&) = delete;
    Debugger& operator=(const Debugger&) = delete;

    void set_breakpoints(const BreakpointMessage* breakpoints, uint64_t count);
    void watch(const WatchedInstruction* instructions, uint64_t count);
    // Executions of watched instructions so far.
    std::vector<WatchReport> executions() const;
    // From the handler of SIGTRAP. Returns whether the trap belonged to this debugger.
    bool on_trap(const siginfo_t& info, void* raw_context);
    // The program is stuck, and this kernel is the first that waits. The run ends whatever the answer.
    void on_hang(const KernelInstance& instance);
    // Whether a user inspects a stopped kernel: Ctrl-C is for the user's prompt then.
    bool is_stopped() const { return is_stopped_; }

    Program& program;

    // Kind of the instruction about to be stepped.
    enum class Instruction : uint8_t { Other, Call, Return };

private:
    // The fiber that is being stepped, and where the step began.
    struct Step {
        const KernelInstance* instance = nullptr;  // null: none is
        uint8_t threads = 0;
        Go how = Go::On;
        uint32_t line = 0;
        uintptr_t from = 0;
        bool passes_one = false;  // the step began before a call, not at it
    };

    struct Watched {
        uint64_t kernels_late = 0;  // one bit for each kernel that waits here
        std::map<const KernelInstance*, uint64_t> executions;
    };

    void plant(uintptr_t address);
    void lift(uintptr_t address);
    void lift_all();
    Instruction instruction_at(uintptr_t address) const;
    bool is_wanted(uintptr_t address, const KernelInstance& instance) const;
    uint32_t line_at(uintptr_t address) const;
    bool is_stepped(const KernelInstance& instance) const;
    bool ends_step(uintptr_t address);
    void count(KernelInstance& instance, Watched& watched);
    void after_breakpoint(KernelInstance& instance, void* raw_context, uintptr_t address);
    void after_instruction(KernelInstance& instance, void* raw_context);
    void land_at(uintptr_t address);
    void stop(KernelInstance& instance, void* raw_context, StopReason reason);
    void go_on(void* raw_context);

    StopHandler on_stop_;
    std::vector<CodeLineMessage> lines_;  // of the kernels' own functions, by address
    std::vector<BreakpointMessage> breakpoints_;
    std::map<uintptr_t, Watched> watched_;
    std::map<uintptr_t, uint8_t> planted_;  // address, and the original byte
    uintptr_t lifted_ = 0;  // restored for one instruction
    uintptr_t landing_ = 0;  // return address of a call that is stepped over
    Instruction last_ = Instruction::Other;
    Step step_;
    bool tracing_ = false;
    volatile bool is_stopped_ = false;
};

// Of the current run; null: it is not debugged.
extern Debugger* g_debugger;

}  // namespace tw
