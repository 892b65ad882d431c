// SPDX-License-Identifier: Apache-2.0
// Signals while a program runs: faults in kernels become errors, Ctrl-C stops the run, and a tick takes turns
// away from kernels that spin on memory.
//
// It also shows a core's L1 at the addresses a card uses. Kernels hold full slot pointers, but an address that comes
// from the host (an L1 buffer's) is a plain offset. The first access through such an address faults; the core's L1
// is then mapped there as well, until another core runs.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <iterator>
#include <mutex>

#include "check/checks.h"
#include "division.h"
#include "scheduler.h"

namespace tw {

// SIGABRT: abort(), and a C++ exception nobody catches.
static constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static constexpr size_t kAlternateStackBytes = 64 * 1024;
static constexpr long kTickNanoseconds = 20'000'000;
// The lowest page a process may map; L1 below it is firmware's and no buffer lies there.
static constexpr uintptr_t kWindowBegin = 0x10000;

static struct sigaction g_old_faults[std::size(kFaultSignals)];
static struct sigaction g_old_interrupt;
static struct sigaction g_old_tick;
// Handlers and the window on L1 belong to the whole process, so one program runs at a time.
static std::mutex g_run_mutex;
static std::atomic<Program*> g_running{nullptr};

static int tick_signal() { return SIGRTMIN + 3; }

static void machine_position(void* raw_context, uintptr_t& program_counter, uintptr_t& frame_pointer) {
    const auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
#if defined(__x86_64__)
    program_counter = static_cast<uintptr_t>(machine.gregs[REG_RIP]);
    frame_pointer = static_cast<uintptr_t>(machine.gregs[REG_RBP]);
#elif defined(__aarch64__)
    program_counter = machine.pc;
    frame_pointer = machine.regs[29];
#else
    (void)machine;
    program_counter = frame_pointer = 0;
#endif
}

static bool show_l1_window(Scheduler& scheduler, uintptr_t address) {
    const Chip& chip = scheduler.program.chip;
    if (address < kWindowBegin || address >= chip.config().l1_bytes || scheduler.window_core != nullptr ||
        scheduler.options.threads > 1) {
        return false;
    }
    Core* core = scheduler.current->core;
    const size_t index = core->y * chip.config().grid_x + core->x;
    void* wanted = reinterpret_cast<void*>(kWindowBegin);
    void* got = mmap(
        wanted,
        chip.config().l1_bytes - kWindowBegin,
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_FIXED_NOREPLACE,
        chip.memory().files().l1,
        static_cast<off_t>(index * kL1SlotBytes + kWindowBegin));
    if (got != wanted) {
        return false;
    }
    scheduler.window_core = core;
    scheduler.program.turns.cores_met = true;  // the window shows an L1 as one piece
    return true;
}

void hide_l1_window(Scheduler& scheduler) {
    if (scheduler.window_core != nullptr) {
        munmap(reinterpret_cast<void*>(kWindowBegin), scheduler.program.chip.config().l1_bytes - kWindowBegin);
        scheduler.window_core = nullptr;
    }
}

static void restore_and_raise(int signal_number) {
    for (size_t i = 0; i < std::size(kFaultSignals); i++) {
        if (kFaultSignals[i] == signal_number) {
            sigaction(signal_number, &g_old_faults[i], nullptr);
        }
    }
}

static bool is_in_kernel(const Scheduler& scheduler, void* raw_context) {
    uintptr_t program_counter = 0;
    uintptr_t frame_pointer = 0;
    machine_position(raw_context, program_counter, frame_pointer);
    const Kernel& kernel = *scheduler.current->kernel;
    return program_counter >= kernel.text_begin && program_counter < kernel.text_end;
}

static bool divides(KernelInstance& instance, void* raw_context) {
    uint64_t frames[kFindingFrames];
    uintptr_t frame_pointer = 0;
    machine_position(raw_context, frames[0], frame_pointer);
    frames[0]++;  // frames are places calls return to
    if (!divide_as_on_a_card(raw_context)) {
        return false;
    }
    if (instance.checks != nullptr) [[unlikely]] {
        const uint32_t depth = 1 + walk_frames(*instance.stack, frame_pointer, frames + 1, kFindingFrames - 1);
        instance.checks->findings.add(
            instance, "divide-by-zero", kNoCircularBuffer, 0, frames, depth,
            "an integer division by zero, or of the most negative number by -1");
    }
    return true;
}

static void on_fault(int signal_number, siginfo_t* info, void* raw_context) {
    Scheduler* scheduler = this_scheduler();
    if (scheduler == nullptr || scheduler->current == nullptr) {
        restore_and_raise(signal_number);  // not ours: the instruction faults again under the old handler
        return;
    }
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (signal_number == SIGSEGV && show_l1_window(*scheduler, address)) {
        return;
    }
    if (signal_number == SIGFPE && is_in_kernel(*scheduler, raw_context) && divides(*scheduler->current, raw_context)) {
        return;
    }
    if (scheduler->exploring) {
        siglongjmp(scheduler->fault_landing, 1);
    }
    KernelInstance& instance = *scheduler->current;
    machine_position(raw_context, instance.failed_program_counter, instance.failed_frame_pointer);
    instance.state = InstanceState::Failed;
    Program& program = scheduler->program;
    program.fault_signal = signal_number;
    program.fault_address = address;
    program.fail(RunStatus::Fault, &instance, instance.stack->in_guard(address) ? "stack overflow" : "");
    siglongjmp(scheduler->fault_landing, 1);
}

static void on_interrupt(int signal_number, siginfo_t* info, void* raw_context) {
    if (Program* program = g_running.load()) {
        program->fail(RunStatus::Interrupted, nullptr, "");
    }
    // Python's own handler notes the interrupt, so KeyboardInterrupt follows when the run returns.
    if ((g_old_interrupt.sa_flags & SA_SIGINFO) != 0) {
        g_old_interrupt.sa_sigaction(signal_number, info, raw_context);
    } else if (g_old_interrupt.sa_handler != SIG_DFL && g_old_interrupt.sa_handler != SIG_IGN) {
        g_old_interrupt.sa_handler(signal_number);
    }
}

// Who called the function that was interrupted before it had made its frame, after it had left it, or in a stub of the
// linker: the frame pointer is still the caller's, and a walk over frames would leave the caller out. 0: none left out.
static uintptr_t caller_without_frame(void* raw_context) {
#if defined(__x86_64__)
    const auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
    const auto* code = reinterpret_cast<const uint8_t*>(machine.gregs[REG_RIP]);
    const auto* stack = reinterpret_cast<const uintptr_t*>(machine.gregs[REG_RSP]);
    constexpr uint8_t kPushFrame[] = {0x55}, kReturn[] = {0xc3}, kEntry[] = {0xf3, 0x0f, 0x1e, 0xfa};
    constexpr uint8_t kJump[] = {0xff, 0x25}, kBoundJump[] = {0xf2, 0xff, 0x25}, kSetFrame[] = {0x48, 0x89, 0xe5};
    auto stands_at = [&](auto& bytes) { return std::memcmp(code, bytes, sizeof bytes) == 0; };
    if (stands_at(kPushFrame) || stands_at(kReturn) || stands_at(kEntry) || stands_at(kJump) || stands_at(kBoundJump)) {
        return stack[0];
    }
    return stands_at(kSetFrame) ? stack[1] : 0;
#else
    (void)raw_context;
    return 0;
#endif
}

static void on_tick(int, siginfo_t*, void* raw_context) {
    Scheduler* scheduler = this_scheduler();
    if (scheduler == nullptr) {
        return;
    }
    if (scheduler->deadline != 0 && monotonic_seconds() > scheduler->deadline) {
        scheduler->program.fail(RunStatus::TimeLimit, scheduler->current, "");
    }
    if (scheduler->current == nullptr) {
        return;
    }
    KernelInstance& instance = *scheduler->current;
    uintptr_t program_counter = 0;
    uintptr_t frame_pointer = 0;
    machine_position(raw_context, program_counter, frame_pointer);
    const bool in_kernel =
        program_counter >= instance.kernel->text_begin && program_counter < instance.kernel->text_end;
    if (!in_kernel) {
        // Inside the engine, which may hold state that must not be left half-way.
        scheduler->abandon = scheduler->program.stop.load();
        return;
    }
    if (scheduler->program.stop.load()) {
        instance.failed_program_counter = program_counter;
        instance.failed_frame_pointer = frame_pointer;
        instance.state = InstanceState::Failed;
        siglongjmp(scheduler->fault_landing, 1);
    }
    if (scheduler->switches != scheduler->tick_switches) {
        scheduler->tick_switches = scheduler->switches;
        return;
    }
    instance.failed_program_counter = program_counter;
    instance.failed_frame_pointer = frame_pointer;
    instance.failed_caller = caller_without_frame(raw_context);
    flush_denormals();
    scheduler->suspend(InstanceState::Yielded, WaitKind::None, 0, 0);
    instance.failed_program_counter = instance.failed_caller = 0;
}

static void install(int signal_number, void (*handler)(int, siginfo_t*, void*), int extra, struct sigaction* old) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    // NODEFER: a handler may leave by switching fibers, so the signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | extra;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, old);
}

SignalScope::SignalScope(Program& program) : lock_(g_run_mutex) {
    g_running.store(&program);
    for (size_t i = 0; i < std::size(kFaultSignals); i++) {
        install(kFaultSignals[i], on_fault, SA_ONSTACK, &g_old_faults[i]);
    }
    install(tick_signal(), on_tick, SA_RESTART, &g_old_tick);
    install(SIGINT, on_interrupt, SA_RESTART, &g_old_interrupt);
    if (g_old_interrupt.sa_handler == SIG_IGN) {
        sigaction(SIGINT, &g_old_interrupt, nullptr);  // a process started in the background: Ctrl-C is not for it
    }
}

SignalScope::~SignalScope() {
    for (size_t i = 0; i < std::size(kFaultSignals); i++) {
        sigaction(kFaultSignals[i], &g_old_faults[i], nullptr);
    }
    sigaction(SIGINT, &g_old_interrupt, nullptr);
    sigaction(tick_signal(), &g_old_tick, nullptr);
    g_running.store(nullptr);
}

static bool start_tick(timer_t& timer) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = tick_signal();
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
#else
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
#endif
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        return false;
    }
    const itimerspec interval{{0, kTickNanoseconds}, {0, kTickNanoseconds}};
    timer_settime(timer, 0, &interval, nullptr);
    return true;
}

ThreadSignals::ThreadSignals() : alternate_stack_(new uint8_t[kAlternateStackBytes]) {
    stack_t stack{};
    stack.ss_sp = alternate_stack_.get();
    stack.ss_size = kAlternateStackBytes;
    sigaltstack(&stack, &old_stack_);
    ticking_ = start_tick(timer_);
}

ThreadSignals::~ThreadSignals() {
    if (ticking_) {
        timer_delete(timer_);
    }
    sigaltstack(&old_stack_, nullptr);
}

}  // namespace tw
