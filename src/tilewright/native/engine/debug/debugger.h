// SPDX-License-Identifier: Apache-2.0
// Stops kernels of one run at instructions of theirs, and steps them from call to call.
//
// A breakpoint is a trap written over the instruction for as long as the run lasts, so kernels are compiled as always
// and other runs pay nothing. The trap's signal comes while a kernel stands in its own code, where nothing of the engine
// is half-way: whoever asked can look at everything before it goes on. To go on, the instruction is put back for one
// step of the processor. A call is stepped over by a trap where it returns.
#pragma once

#include <signal.h>

#include <cstdint>
#include <map>
#include <vector>

#include "api.h"

namespace tw {

class Program;
struct KernelInstance;

class Debugger {
public:
    // Asked at every stop, in the handler of a signal; says how to go on. May set other breakpoints.
    using Ask = TwResume (*)(Debugger& debugger, const TwStop& stop);

    Debugger(Program& program, const TwCodeLine* lines, uint64_t num_lines, Ask ask);
    ~Debugger();
    Debugger(const Debugger&) = delete;
    Debugger& operator=(const Debugger&) = delete;

    void set_breakpoints(const TwBreakpoint* breakpoints, uint64_t count);
    // From the handler of SIGTRAP. Returns whether the trap was one of this.
    bool on_trap(const siginfo_t& info, void* raw_context);
    // Nothing moves any more, and this kernel is the first that waits; whatever is said, the run ends.
    void on_hang(const KernelInstance& instance);
    // Somebody looks at a stopped kernel: Ctrl-C is for them.
    bool is_asking() const { return is_asking_; }

    Program& program;

    // What a step of the processor is about to do.
    enum class Instruction : uint8_t { Other, Call, Return };

private:
    // A fiber that is being stepped, and where it began.
    struct Step {
        const KernelInstance* instance = nullptr;  // null: none is
        uint8_t threads = 0;
        TwResume how = kContinue;
        uint32_t line = 0;
        uintptr_t from = 0;
        bool passes_one = false;  // it began before a call, not at it
    };

    void plant(uintptr_t address);
    void lift(uintptr_t address);
    void lift_all();
    Instruction instruction_at(uintptr_t address) const;
    bool is_wanted(uintptr_t address, const KernelInstance& instance) const;
    uint32_t line_at(uintptr_t address) const;
    bool is_stepped(const KernelInstance& instance) const;
    bool ends_step(uintptr_t address);
    void after_breakpoint(KernelInstance& instance, void* raw_context, uintptr_t address);
    void after_instruction(KernelInstance& instance, void* raw_context);
    void land_at(uintptr_t address);
    void stop(KernelInstance& instance, void* raw_context, TwStopReason reason);
    void go_on(void* raw_context);

    Ask ask_;
    std::vector<TwCodeLine> lines_;  // of the kernels' own functions, by address
    std::vector<TwBreakpoint> breakpoints_;
    std::map<uintptr_t, uint8_t> planted_;  // address, and the byte that was there
    uintptr_t lifted_ = 0;  // for one instruction
    uintptr_t landing_ = 0;  // where a call that is stepped over returns
    Instruction last_ = Instruction::Other;
    Step step_;
    bool tracing_ = false;
    volatile bool is_asking_ = false;
};

// Of the run that goes on; null: nobody debugs it.
extern Debugger* g_debugger;

}  // namespace tw
