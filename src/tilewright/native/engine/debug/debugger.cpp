// SPDX-License-Identifier: Apache-2.0
#include "debugger.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "run/scheduler.h"
#include "run/threads.h"
#include "signals/crash_record.h"

namespace tw {

Debugger* g_debugger = nullptr;

#if defined(__x86_64__)

static constexpr uint8_t kTrap = 0xcc;
static constexpr greg_t kTraceFlag = 0x100;

static auto& machine(void* raw_context) { return static_cast<ucontext_t*>(raw_context)->uc_mcontext.gregs; }
static uintptr_t counter(void* raw_context) { return static_cast<uintptr_t>(machine(raw_context)[REG_RIP]); }

static void write_code(uintptr_t address, uint8_t byte) {
    const auto page = static_cast<uintptr_t>(getpagesize());
    auto* begin = reinterpret_cast<void*>(address & ~(page - 1));
    mprotect(begin, page, PROT_READ | PROT_WRITE | PROT_EXEC);
    *reinterpret_cast<volatile uint8_t*>(address) = byte;
    mprotect(begin, page, PROT_READ | PROT_EXEC);
}

Debugger::Debugger(Program& program, const CodeLineMessage* lines, uint64_t num_lines, StopHandler on_stop) :
    program(program), on_stop_(on_stop), lines_(lines, lines + num_lines) {
    std::sort(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    g_debugger = this;
}

Debugger::~Debugger() {
    lift_all();
    g_debugger = nullptr;
}

void Debugger::plant(uintptr_t address) {
    if (planted_.try_emplace(address, *reinterpret_cast<const uint8_t*>(address)).second) {
        write_code(address, kTrap);
    }
}

void Debugger::lift(uintptr_t address) {
    const auto found = planted_.find(address);
    if (found != planted_.end()) {
        write_code(address, found->second);
        planted_.erase(found);
    }
}

void Debugger::lift_all() {
    while (!planted_.empty()) {
        lift(planted_.begin()->first);
    }
}

// The kernel's instruction there, whether or not a trap covers it.
Debugger::Instruction Debugger::instruction_at(uintptr_t address) const {
    uint8_t bytes[6];
    std::memcpy(bytes, reinterpret_cast<const void*>(address), sizeof bytes);
    const auto hidden = planted_.find(address);
    bytes[0] = hidden != planted_.end() ? hidden->second : bytes[0];
    const uint8_t* code = bytes;
    while (code < bytes + 3 && (*code == 0xf2 || *code == 0xf3 || *code == 0x3e || (*code & 0xf0) == 0x40)) {
        code++;  // prefixes
    }
    if (*code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2)) {
        return Instruction::Call;
    }
    return *code == 0xc3 || *code == 0xc2 ? Instruction::Return : Instruction::Other;
}

void Debugger::set_breakpoints(const BreakpointMessage* breakpoints, uint64_t count) {
    lift_all();
    breakpoints_.assign(breakpoints, breakpoints + count);
    for (const BreakpointMessage& each : breakpoints_) {
        plant(each.address);
    }
    if (landing_ != 0) {
        plant(landing_);
    }
}

void Debugger::watch(const WatchedInstruction* instructions, uint64_t count) {
    for (uint64_t index = 0; index < count; index++) {
        const WatchedInstruction& each = instructions[index];
        watched_[each.address].kernels_late |= static_cast<uint64_t>(each.is_late != 0) << (each.kernel & 63);
        plant(each.address);
    }
}

std::vector<WatchReport> Debugger::executions() const {
    std::vector<WatchReport> reports;
    for (const auto& [address, watched] : watched_) {
        for (const auto& [instance, count] : watched.executions) {
            const KernelPlace& place = instance->place;
            reports.push_back({place.kernel, place.core_x, place.core_y, address, count});
        }
    }
    return reports;
}

void Debugger::count(KernelInstance& instance, Watched& watched) {
    if (this_scheduler()->looking_ahead) {
        return;
    }
    watched.executions[&instance]++;
    instance.is_late |= (watched.kernels_late >> (instance.place.kernel & 63) & 1) != 0;
}

bool Debugger::is_wanted(uintptr_t address, const KernelInstance& instance) const {
    const KernelPlace& place = instance.place;
    return std::any_of(breakpoints_.begin(), breakpoints_.end(), [&](const BreakpointMessage& each) {
        const bool is_core =
            each.core_x == wire::kEveryCore || (each.core_x == place.core_x && each.core_y == place.core_y);
        return each.address == address && each.kernel == place.kernel && is_core;
    });
}

// 0: not in the kernel's own code.
uint32_t Debugger::line_at(uintptr_t address) const {
    const auto after =
        std::upper_bound(lines_.begin(), lines_.end(), address, [](uintptr_t at, const CodeLineMessage& line) {
            return at < line.begin;
        });
    if (after == lines_.begin()) {
        return 0;
    }
    const CodeLineMessage& found = *std::prev(after);
    return address < found.end ? found.line : 0;
}

bool Debugger::is_stepped(const KernelInstance& instance) const {
    return step_.instance == &instance && step_.threads == instance.threads;
}

// Both kinds of step pass the call at which, or before which, they began. A step to the next line also passes the other
// calls of that line, unless it has reached the line again.
bool Debugger::ends_step(uintptr_t address) {
    const uint32_t line = line_at(address);
    if (line == 0 || instruction_at(address) != Instruction::Call) {
        return false;
    }
    const bool is_ahead = line == step_.line && address > step_.from;
    const bool passes = is_ahead && (step_.how == Go::ToNextLine || step_.passes_one);
    step_.passes_one = false;
    return !passes;
}

bool Debugger::on_trap(const siginfo_t& info, void* raw_context) {
    if (!is_in_kernel()) {
        return false;
    }
    KernelInstance& instance = *this_scheduler()->current;
    if (info.si_code == TRAP_TRACE) {
        if (!tracing_) {
            return false;
        }
        after_instruction(instance, raw_context);
        return true;
    }
    // a trap is one byte long, and the program counter is behind it
    const uintptr_t address = counter(raw_context) - 1;
    if (planted_.count(address) == 0) {
        return false;
    }
    machine(raw_context)[REG_RIP] = static_cast<greg_t>(address);
    const auto watched = watched_.find(address);
    if (watched != watched_.end()) {
        count(instance, watched->second);
        go_on(raw_context);
    } else {
        after_breakpoint(instance, raw_context, address);
    }
    return true;
}

void Debugger::after_breakpoint(KernelInstance& instance, void* raw_context, uintptr_t address) {
    const bool wanted = is_wanted(address, instance) && !this_scheduler()->looking_ahead;
    if (address == landing_ && is_stepped(instance)) {
        landing_ = 0;
        if (!std::any_of(
                breakpoints_.begin(), breakpoints_.end(), [&](auto& each) { return each.address == address; })) {
            lift(address);
        }
        if (!wanted && ends_step(address)) {
            stop(instance, raw_context, StopReason::Step);
        } else if (!wanted) {
            tracing_ = true;
        }
    }
    if (wanted) {
        stop(instance, raw_context, StopReason::Breakpoint);
    }
    go_on(raw_context);
}

// Called after one instruction of the kernel was stepped.
void Debugger::after_instruction(KernelInstance& instance, void* raw_context) {
    g_crash_record->beats++;  // no ticks arrive until the step is over
    if (lifted_ != 0) {
        plant(lifted_);
        lifted_ = 0;
    }
    tracing_ = is_stepped(instance);
    const uintptr_t address = counter(raw_context);
    const bool is_outside = !instance.kernel->has_code_at(address);
    if (tracing_ && (is_outside || (last_ == Instruction::Call && line_at(address) == 0))) {
        tracing_ = false;
        if (last_ == Instruction::Return) {
            step_ = {};  // the kernel has ended
        } else {
            land_at(*reinterpret_cast<const uintptr_t*>(machine(raw_context)[REG_RSP]));
        }
    } else if (tracing_ && is_wanted(address, instance)) {
        stop(instance, raw_context, StopReason::Breakpoint);
    } else if (tracing_ && ends_step(address)) {
        stop(instance, raw_context, StopReason::Step);
    }
    go_on(raw_context);
}

void Debugger::land_at(uintptr_t address) {
    landing_ = address;
    plant(address);
}

void Debugger::stop(KernelInstance& instance, void* raw_context, StopReason reason) {
    const uintptr_t address = counter(raw_context);
    const bool was_planted = planted_.count(address) != 0;
    lift(address);  // the code is shown without the trap
    tracing_ = false;
    if (landing_ != 0) {
        lift(landing_);
        landing_ = 0;
    }
    const KernelPlace& place = instance.place;
    note_where(instance, raw_context);
    sigset_t usual;
    pthread_sigmask(SIG_SETMASK, nullptr, &usual);
    sigset_t quiet = usual;
    block_ticks(quiet, true);
    pthread_sigmask(SIG_SETMASK, &quiet, nullptr);
    is_stopped_ = true;
    const double since = monotonic_seconds();
    const Go how = on_stop_(*this, {place.kernel, place.core_x, place.core_y, instance.threads, reason});
    this_scheduler()->extend_deadlines(monotonic_seconds() - since);
    is_stopped_ = false;
    pthread_sigmask(SIG_SETMASK, &usual, nullptr);
    if (was_planted && is_wanted(address, instance)) {
        plant(address);
    }
    const bool before_call = instruction_at(address) != Instruction::Call;
    step_ = how == Go::On ? Step{} : Step{&instance, instance.threads, how, line_at(address), address, before_call};
    tracing_ = how != Go::On;
}

void Debugger::on_hang(const KernelInstance& instance) {
    if (on_stop_ == nullptr) {
        return;
    }
    const KernelPlace& place = instance.place;
    is_stopped_ = true;
    on_stop_(*this, {place.kernel, place.core_x, place.core_y, instance.threads, StopReason::Hang});
    is_stopped_ = false;
}

// Returns to the kernel, for one instruction if a trap covers the next one or the kernel is stepped. A tick in between
// could preempt it, so ticks are blocked.
void Debugger::go_on(void* raw_context) {
    auto* context = static_cast<ucontext_t*>(raw_context);
    const uintptr_t address = counter(raw_context);
    if (planted_.count(address) != 0) {
        lift(address);
        lifted_ = address;
    }
    if (lifted_ != 0 || tracing_) {
        last_ = instruction_at(address);
        tracing_ = true;
        machine(raw_context)[REG_EFL] |= kTraceFlag;
        block_ticks(context->uc_sigmask, true);
    } else {
        this_scheduler()->extend_deadlines(0);
        machine(raw_context)[REG_EFL] &= ~kTraceFlag;
        block_ticks(context->uc_sigmask, false);
    }
}

#else

Debugger::Debugger(Program& program, const CodeLineMessage*, uint64_t, StopHandler on_stop) :
    program(program), on_stop_(on_stop) {
    throw std::runtime_error("kernels can be stopped on x86-64 only");
}
Debugger::~Debugger() = default;
void Debugger::set_breakpoints(const BreakpointMessage*, uint64_t) {}
void Debugger::watch(const WatchedInstruction*, uint64_t) {}
std::vector<WatchReport> Debugger::executions() const { return {}; }
bool Debugger::on_trap(const siginfo_t&, void*) { return false; }
void Debugger::on_hang(const KernelInstance&) {}

#endif

}  // namespace tw
