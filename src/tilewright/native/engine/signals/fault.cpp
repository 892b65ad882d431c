// SPDX-License-Identifier: Apache-2.0
// Faults of kernels: a signal of the processor ends the run with an error that names the kernel and its call stack.
#include <algorithm>
#include <cstdio>

#include "check/checks.h"
#include "crash_record.h"
#include "debug/debugger.h"
#include "division.h"
#include "interrupted.h"
#include "run/scheduler.h"
#include "signals.h"

namespace tw {

bool is_in_kernel() { return this_scheduler() != nullptr && this_scheduler()->current != nullptr; }

// The text comes first: walking the stack of a kernel that overwrote it may fault again.
void record_failure(
    RunStatus why,
    KernelInstance& instance,
    const Interrupted& at,
    int signal_number,
    uintptr_t address,
    const char* text) {
    instance.noted.num_frames = 0;
    write_crash_record(why, &instance, signal_number, address, text);
    note_stack_at(instance, at);
    std::copy_n(instance.noted.frames, instance.noted.num_frames, g_crash_record->frames);
    g_crash_record->num_frames = instance.noted.num_frames;
}

// Back to the scheduler, which finds that the run has failed.
[[noreturn]] void leave_kernel(Scheduler& scheduler) {
    scheduler.program.process_must_end = true;
    siglongjmp(scheduler.fault_landing, 1);
}

static const char* stack_error(const KernelInstance& instance, uintptr_t address, uintptr_t stack_pointer) {
    const FiberStack& stack = *instance.stack;
    const bool has_left = stack_pointer < reinterpret_cast<uintptr_t>(stack.low());
    if (stack.is_below(address) || (has_left && !stack.is_above(address))) {
        return "stack overflow (256 KiB of stack used up; a card has far less)";
    }
    return stack.is_above(address)
               ? "ran over the upper end of its stack: an array among its local variables is overrun"
               : "";
}

static const char* error_outside_a_run(const Interrupted& at) {
    if (g_crash_record->activity == RunnerActivity::Loading) {
        return at.is_in_engine() ? "a static constructor calls the kernel API, which works only in kernel_main"
                                 : "a static constructor failed while the kernel was loaded";
    }
    return at.is_in_engine() ? "" : "a thread that a kernel started failed";
}

void fail_at(void* raw_context, int signal_number, uintptr_t address, const char* text) {
    const Interrupted at(raw_context);
    Scheduler* scheduler = this_scheduler();
    if (g_crash_record->status != RunStatus::Ok) {
        end_process(1);  // reporting the first failure failed
    }
    if (is_in_kernel() && scheduler->looking_ahead) {
        siglongjmp(scheduler->fault_landing, 1);
    }
    if (!is_in_kernel()) {
        write_crash_record(
            RunStatus::Fault, nullptr, signal_number, address, *text != 0 ? text : error_outside_a_run(at));
        end_process(1);
    }
    KernelInstance& instance = *scheduler->current;
    const char* error = *text != 0 ? text : stack_error(instance, address, at.stack_pointer);
    record_failure(RunStatus::Fault, instance, at, signal_number, address, error);
    scheduler->program.fault_signal = signal_number;
    scheduler->program.fault_address = address;
    scheduler->program.fail(RunStatus::Fault, &instance, error);
    leave_kernel(*scheduler);
}

void abort_kernel(void* raw_context, const char* text) { fail_at(raw_context, 0, 0, text); }

// Whether the signal was an integer division whose result a card defines; the kernel continues with that result.
static bool divided_as_on_a_card(KernelInstance& instance, void* raw_context) {
    const Interrupted at(raw_context);
    uint64_t frames[kFindingFrames];
    frames[0] = at.program_counter + 1;  // frames hold return addresses
    if (!at.is_in(*instance.kernel) || !divide_as_on_a_card(raw_context)) {
        return false;
    }
    if (instance.checks != nullptr) [[unlikely]] {
        const uint32_t depth = 1 + walk_frames(*instance.stack, at.frame_pointer, frames + 1, kFindingFrames - 1);
        instance.checks->findings.add(
            instance,
            Rule::DivideByZero,
            kNoCircularBuffer,
            0,
            frames,
            depth,
            "an integer division by zero, or of the most negative number by -1");
    }
    return true;
}

static void fail_by_rule(void* raw_context, Rule rule, const char* text) {
    Scheduler& scheduler = *this_scheduler();
    record_failure(RunStatus::KernelError, *scheduler.current, Interrupted(raw_context), 0, 0, text);
    scheduler.program.fail(RunStatus::KernelError, scheduler.current, text);
    scheduler.program.error_rule = rule;
    leave_kernel(scheduler);
}

// Names two faults by their rule: an access through the pointer of a circular buffer that the core does not have, and an
// access that runs past the end of L1, where the host's buffers lie. Returns for any other fault.
static void fail_if_rule_broken(void* raw_context, uintptr_t address) {
    constexpr uint64_t kWalk = 64 * 1024;
    const Scheduler& scheduler = *this_scheduler();
    const KernelInstance& instance = *scheduler.current;
    const bool is_own = (address & ~uint64_t{kL1OffsetMask}) == instance.core->l1_base;
    const uint64_t offset = is_own ? address & kL1OffsetMask : address;
    const uint32_t cb = is_own ? missing_buffer_at(static_cast<uint32_t>(offset)) : kMaxCircularBuffers;
    const uint64_t end = instance.context.l1_size;
    if (scheduler.looking_ahead) {
        return;
    }
    static char text[160];
    if (cb != kMaxCircularBuffers) {
        std::snprintf(
            text,
            sizeof text,
            "a load or store uses the address of c_%u, which is not configured on core (%u,%u)",
            cb,
            instance.core->x,
            instance.core->y);
        fail_by_rule(raw_context, Rule::CbNotConfigured, text);
    } else if (instance.checks != nullptr && offset >= end && offset < end + kWalk) {
        std::snprintf(
            text,
            sizeof text,
            "a load or store at 0x%llx, behind the last buffer of core (%u,%u): L1 ends at 0x%llx",
            static_cast<unsigned long long>(offset),
            instance.core->x,
            instance.core->y,
            static_cast<unsigned long long>(end));
        fail_by_rule(raw_context, Rule::L1OutsideBuffer, text);
    }
}

void on_fault(int signal_number, siginfo_t* info, void* raw_context) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (signal_number == SIGTRAP && g_debugger != nullptr && g_debugger->on_trap(*info, raw_context)) {
        return;
    }
    if (signal_number == SIGSEGV && is_in_kernel() && show_l1_window(*this_scheduler(), address)) {
        return;
    }
    if (signal_number == SIGFPE && is_in_kernel() && divided_as_on_a_card(*this_scheduler()->current, raw_context)) {
        return;
    }
    if (signal_number == SIGSEGV && is_in_kernel()) {
        fail_if_rule_broken(raw_context, address);
    }
    fail_at(raw_context, signal_number, address, "");
}

}  // namespace tw
