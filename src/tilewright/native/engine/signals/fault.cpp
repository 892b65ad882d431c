// SPDX-License-Identifier: Apache-2.0
// Signals while a program runs: faults in kernels become errors, Ctrl-C stops the run, and a tick takes turns
// away from kernels that spin on memory.
//
// It also shows a core's L1 at the addresses a card uses. Kernels hold full slot pointers, but an address that comes
// from the host (an L1 buffer's) is a plain offset. The first access through such an address faults; the core's L1
// is then mapped there as well, until another core runs.
//
// A kernel is left in one of two ways. Where it stands in its own code, or comes to a call of the engine, nothing is
// half-way and the process goes on. Where it faulted, or stands in the C library, anything may be half-way: the run is
// reported and the process ends (Program::spent), for its owner to start another.
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "check/checks.h"
#include "crash_record.h"
#include "debug/debugger.h"
#include "division.h"
#include "run/run_loop.h"

namespace tw {

// SIGABRT: abort(), and a C++ exception nobody catches. SIGTERM and the like: sent by a kernel to itself.
static constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
static constexpr int kOtherSignals[] = {
    SIGHUP,
    SIGQUIT,
    SIGPIPE,
    SIGALRM,
    SIGTERM,
    SIGUSR1,
    SIGUSR2,
    SIGXCPU,
    SIGXFSZ,
    SIGVTALRM,
    SIGPROF,
    SIGPOLL,
    SIGTSTP,
    SIGTTIN,
    SIGTTOU,
    SIGPWR,
    SIGSTKFLT};
static constexpr size_t kAlternateStackBytes = 128 * 1024;
static constexpr long kTickNanoseconds = 20'000'000;
// Ticks a kernel may take to come out of the engine after the run was stopped.
static constexpr uint32_t kTicksToLeave = 10;
// The lowest page a process may map; L1 below it is firmware's and no buffer lies there.
static constexpr uintptr_t kWindowBegin = 0x10000;

static std::atomic<Program*> g_running{nullptr};
static uintptr_t g_engine_begin = 0, g_engine_end = 0;  // its code

static int tick_signal() { return SIGRTMIN + 3; }
static void rest_tick();

namespace {
// Where a signal found the processor.
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
    bool is_in_engine() const { return program_counter >= g_engine_begin && program_counter < g_engine_end; }
};

struct UnwoundFrames {
    KernelInstance& instance;
    uint32_t count = 0;
};
}  // namespace

bool is_in_kernel() { return this_scheduler() != nullptr && this_scheduler()->current != nullptr; }

static bool show_l1_window(Scheduler& scheduler, uintptr_t address) {
    const Chip& chip = scheduler.program.chip;
    if (address < kWindowBegin || address >= chip.config().l1_bytes || scheduler.window_core != nullptr) {
        return false;
    }
    scheduler.program.used_window = true;
    if (scheduler.options.threads > 1) {
        scheduler.team->wait_alone(scheduler);  // there is one window
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
    scheduler.program.shared_l1.cores_met = true;  // the window shows an L1 as one piece
    return true;
}

void hide_l1_window(Scheduler& scheduler) {
    if (scheduler.window_core != nullptr) {
        munmap(reinterpret_cast<void*>(kWindowBegin), scheduler.program.chip.config().l1_bytes - kWindowBegin);
        scheduler.window_core = nullptr;
    }
}

static _Unwind_Reason_Code note_frame(_Unwind_Context* context, void* argument) {
    auto& found = *static_cast<UnwoundFrames*>(argument);
    const uintptr_t address = _Unwind_GetIP(context);
    if (found.instance.kernel->has_code_at(address - 1) && found.count < kMaxFrames) {
        found.instance.noted.frames[found.count++] = address;
    }
    return address == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static int is_code_of(dl_phdr_info* info, size_t, void* address) {
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const auto& part = info->dlpi_phdr[index];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && reinterpret_cast<uintptr_t>(address) - begin < part.p_memsz) {
            return 1;
        }
    }
    return 0;
}

static bool is_code(uintptr_t address) { return dl_iterate_phdr(is_code_of, reinterpret_cast<void*>(address)) != 0; }

// Notes where the running kernel stands. Its own code keeps frame pointers; from elsewhere (the C library) the way back
// is in the tables of the unwinder; a jump to nowhere has left its return address.
static void note_stack_at(KernelInstance& instance, const Interrupted& at) {
    const Kernel& kernel = *instance.kernel;
    const FiberStack& stack = *instance.stack;
    instance.failed_program_counter = at.program_counter;
    instance.failed_frame_pointer = at.frame_pointer;
    instance.state = InstanceState::Failed;
    if (at.is_in(kernel) || at.is_in_engine() || !stack.contains(at.stack_pointer)) {
        instance.note_stack();
    } else if (is_code(at.program_counter)) {
        UnwoundFrames found{instance};
        _Unwind_Backtrace(note_frame, &found);
        instance.noted.num_frames = found.count;
    } else {
        instance.noted.frames[0] = *reinterpret_cast<const uintptr_t*>(at.stack_pointer);
        instance.noted.num_frames = 1 + walk_frames(stack, at.frame_pointer, instance.noted.frames + 1, kMaxFrames - 1);
    }
    instance.stack_noted = true;
}

// The words come first: looking for the stack of a kernel that wrote over it may fail in its turn.
static void say_where(
    RunStatus why,
    KernelInstance& instance,
    const Interrupted& at,
    int signal_number,
    uintptr_t address,
    const char* text) {
    instance.noted.num_frames = 0;
    write_crash_record(why, &instance, signal_number, address, text);
    note_stack_at(instance, at);
    std::copy_n(instance.noted.frames, instance.noted.num_frames, g_watch->frames);
    g_watch->num_frames = instance.noted.num_frames;
}

// Back to the scheduler, which finds that the run has failed.
[[noreturn]] static void leave_kernel(Scheduler& scheduler) {
    scheduler.program.spent = true;
    siglongjmp(scheduler.fault_landing, 1);
}

static const char* stack_words(const KernelInstance& instance, uintptr_t address, uintptr_t stack_pointer) {
    const FiberStack& stack = *instance.stack;
    const bool has_left = stack_pointer < reinterpret_cast<uintptr_t>(stack.low());
    if (stack.is_below(address) || (has_left && !stack.is_above(address))) {
        return "stack overflow (256 KiB of stack used up; a card has far less)";
    }
    return stack.is_above(address)
               ? "ran over the upper end of its stack: an array among its local variables is overrun"
               : "";
}

static const char* words_outside_a_run(const Interrupted& at) {
    if (g_watch->doing == kLoadingKernel) {
        return at.is_in_engine() ? "a static constructor calls the kernel API, which works only in kernel_main"
                                 : "a static constructor failed while the kernel was loaded";
    }
    return at.is_in_engine() ? "" : "a thread that a kernel started failed";
}

static void fail_at(void* raw_context, int signal_number, uintptr_t address, const char* text) {
    const Interrupted at(raw_context);
    Scheduler* scheduler = this_scheduler();
    if (g_watch->said != 0) {
        end_process(1);  // reporting the first failure failed
    }
    if (is_in_kernel() && scheduler->looking_ahead) {
        siglongjmp(scheduler->fault_landing, 1);
    }
    if (!is_in_kernel()) {
        write_crash_record(
            RunStatus::Fault, nullptr, signal_number, address, *text != 0 ? text : words_outside_a_run(at));
        end_process(1);
    }
    KernelInstance& instance = *scheduler->current;
    const char* words = *text != 0 ? text : stack_words(instance, address, at.stack_pointer);
    say_where(RunStatus::Fault, instance, at, signal_number, address, words);
    scheduler->program.fault_signal = signal_number;
    scheduler->program.fault_address = address;
    scheduler->program.fail(RunStatus::Fault, &instance, words);
    leave_kernel(*scheduler);
}

void give_up_kernel(void* raw_context, const char* text) { fail_at(raw_context, 0, 0, text); }

static bool divides(KernelInstance& instance, void* raw_context) {
    const Interrupted at(raw_context);
    uint64_t frames[kFindingFrames];
    frames[0] = at.program_counter + 1;  // frames are places calls return to
    if (!at.is_in(*instance.kernel) || !divide_as_on_a_card(raw_context)) {
        return false;
    }
    if (instance.checks != nullptr) [[unlikely]] {
        const uint32_t depth = 1 + walk_frames(*instance.stack, at.frame_pointer, frames + 1, kFindingFrames - 1);
        instance.checks->findings.add(
            instance,
            "divide-by-zero",
            kNoCircularBuffer,
            0,
            frames,
            depth,
            "an integer division by zero, or of the most negative number by -1");
    }
    return true;
}

static void fail_by_rule(void* raw_context, const char* rule, const char* text) {
    Scheduler& scheduler = *this_scheduler();
    say_where(RunStatus::KernelError, *scheduler.current, Interrupted(raw_context), 0, 0, text);
    scheduler.program.fail(RunStatus::KernelError, scheduler.current, text);
    scheduler.program.error_rule = rule;
    leave_kernel(scheduler);
}

// A load or store through a pointer of a circular buffer that the core does not have, or that walks on over the end of L1,
// where the buffers of the host lie.
static void fail_at_place(void* raw_context, uintptr_t address) {
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
        fail_by_rule(raw_context, "cb-not-configured", text);
    } else if (instance.checks != nullptr && offset >= end && offset < end + kWalk) {
        std::snprintf(
            text,
            sizeof text,
            "a load or store at 0x%llx, behind the last buffer of core (%u,%u): L1 ends at 0x%llx",
            static_cast<unsigned long long>(offset),
            instance.core->x,
            instance.core->y,
            static_cast<unsigned long long>(end));
        fail_by_rule(raw_context, "l1-outside-buffer", text);
    }
}

static void on_fault(int signal_number, siginfo_t* info, void* raw_context) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (signal_number == SIGTRAP && g_debugger != nullptr && g_debugger->on_trap(*info, raw_context)) {
        return;
    }
    if (signal_number == SIGSEGV && is_in_kernel() && show_l1_window(*this_scheduler(), address)) {
        return;
    }
    if (signal_number == SIGFPE && is_in_kernel() && divides(*this_scheduler()->current, raw_context)) {
        return;
    }
    if (signal_number == SIGSEGV && is_in_kernel()) {
        fail_at_place(raw_context, address);
    }
    fail_at(raw_context, signal_number, address, "");
}

static bool is_sent_by(const siginfo_t& info, bool by_this_process) {
    const bool is_sent = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
    return is_sent && (info.si_pid == getpid()) == by_this_process;
}

// Signals a process gets from itself are the kernel's doing; from outside they mean what they always mean.
static void on_other_signal(int signal_number, siginfo_t* info, void* raw_context) {
    if (is_sent_by(*info, false)) {
        end_process(128 + signal_number);
    }
    fail_at(raw_context, signal_number, 0, "");
}

// Ctrl-C in a terminal reaches owner and runner; what the owner's thread does with it is the owner's business.
static void on_interrupt(int, siginfo_t* info, void* raw_context) {
    if (is_sent_by(*info, true)) {
        fail_at(raw_context, SIGINT, 0, "");
    }
    Program* program = g_running.load();
    if (program != nullptr && !(g_debugger != nullptr && g_debugger->is_asking())) {
        program->fail(RunStatus::Interrupted, nullptr, "");
    }
}

// Who called the function that was interrupted before it had made its frame, after it had left it, or in a stub of the
// linker: the frame pointer is still the caller's, and a walk over frames would leave the caller out. 0: none left out.
static uintptr_t caller_without_frame(const Interrupted& at) {
#if defined(__x86_64__)
    const auto* code = reinterpret_cast<const uint8_t*>(at.program_counter);
    const auto* stack = reinterpret_cast<const uintptr_t*>(at.stack_pointer);
    constexpr uint8_t kPushFrame[] = {0x55}, kReturn[] = {0xc3}, kEntry[] = {0xf3, 0x0f, 0x1e, 0xfa};
    constexpr uint8_t kJump[] = {0xff, 0x25}, kBoundJump[] = {0xf2, 0xff, 0x25}, kSetFrame[] = {0x48, 0x89, 0xe5};
    auto stands_at = [&](auto& bytes) { return std::memcmp(code, bytes, sizeof bytes) == 0; };
    if (stands_at(kPushFrame) || stands_at(kReturn) || stands_at(kEntry) || stands_at(kJump) || stands_at(kBoundJump)) {
        return stack[0];
    }
    return stands_at(kSetFrame) ? stack[1] : 0;
#else
    (void)at;
    return 0;
#endif
}

void note_where(KernelInstance& instance, void* raw_context) {
    const Interrupted at(raw_context);
    instance.failed_program_counter = at.program_counter;
    instance.failed_frame_pointer = at.frame_pointer;
    instance.failed_caller = caller_without_frame(at);
    instance.note_stack();
    instance.failed_program_counter = instance.failed_caller = 0;
}

void block_ticks(sigset_t& blocked, bool block) {
    static_cast<void>(block ? sigaddset(&blocked, tick_signal()) : sigdelset(&blocked, tick_signal()));
}

// The run was stopped, and the kernel stands somewhere in the engine or in the C library.
static void stop_outside_kernel(Scheduler& scheduler, const Interrupted& at) {
    scheduler.abandon = true;  // at its next call of the engine, which holds nothing half-way then
    scheduler.ticks_since_stop++;
    if (at.is_in_engine() && scheduler.ticks_since_stop < kTicksToLeave) {
        return;
    }
    KernelInstance& instance = *scheduler.current;
    const auto status = static_cast<RunStatus>(scheduler.program.status.load());
    say_where(status != RunStatus::Ok ? status : RunStatus::KernelError, instance, at, 0, 0, "");
    leave_kernel(scheduler);
}

// A loop in the C library, or a call that waits there, moves nothing either. On a busy machine the next tick may come while
// this one asks for the time, and finds what it keeps complete.
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

// A kernel that has run since the tick before gives its turn away. In a checked run, which calls the engine at every
// load and store, or where it prints, it is asked to (memory_access.cpp, scheduler.cpp) only after a while: what happens
// should not depend on time.
static void request_yield(Scheduler& scheduler) {
    scheduler.ticks_in_slice = scheduler.switches == scheduler.tick_switches ? scheduler.ticks_in_slice + 1 : 0;
    scheduler.tick_switches = scheduler.switches;
    scheduler.yield_requested = scheduler.ticks_in_slice >= kTicksToLeave;
}

static void beat(Scheduler& scheduler) {
    g_watch->beats++;
    if (scheduler.deadline != 0 && monotonic_seconds() > scheduler.deadline) {
        scheduler.program.fail(RunStatus::TimeLimit, scheduler.current, "");
    }
}

// Registers and stack of an interrupted kernel in one number; 0 where registers are not known. A kernel that runs alone
// and comes to the same state twice goes round for ever.
static uint64_t state_of(const Interrupted& at, void* raw_context, const FiberStack& stack) {
    constexpr uint64_t kPrime = 0x100000001b3u;
    constexpr uintptr_t kRedZone = 128;  // below the stack pointer, where a leaf function keeps its variables
    uint64_t state = 0xcbf29ce484222325u;
    const auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
#if defined(__x86_64__)
    for (int index = REG_R8; index <= REG_RIP; index++) {
        state = (state ^ static_cast<uint64_t>(machine.gregs[index])) * kPrime;
    }
#elif defined(__aarch64__)
    for (const uint64_t value : machine.regs) {
        state = (state ^ value) * kPrime;
    }
    state = (state ^ machine.pc) * kPrime;
#else
    (void)machine;
    return 0;
#endif
    const auto high = reinterpret_cast<uintptr_t>(stack.high());
    for (uintptr_t word = (at.stack_pointer - kRedZone) & ~uintptr_t{7}; word < high; word += 8) {
        state = (state ^ *reinterpret_cast<const uint64_t*>(word)) * kPrime;
    }
    return state;
}

static void on_tick(int, siginfo_t*, void* raw_context) {
    Scheduler* scheduler = this_scheduler();
    if (scheduler == nullptr) {
        rest_tick();
        return;
    }
    beat(*scheduler);
    if (scheduler->current == nullptr) {
        request_yield(*scheduler);
        return;
    }
    KernelInstance& instance = *scheduler->current;
    const Interrupted at(raw_context);
    if (!at.is_in(*instance.kernel)) {
        watch_outside_kernel(*scheduler, at);
        if (scheduler->stopped()) {
            stop_outside_kernel(*scheduler, at);
        }
        request_yield(*scheduler);
        return;
    }
    if (!scheduler->stopped() && scheduler->switches != scheduler->tick_switches) {
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
        scheduler->lookahead_state = state_of(at, raw_context, *instance.stack);
    }
    flush_denormals();
    scheduler->suspend(InstanceState::Yielded, WaitKind::None, 0, 0);
    instance.failed_program_counter = instance.failed_caller = 0;
}

static void install(int signal_number, void (*handler)(int, siginfo_t*, void*), int extra) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    // NODEFER: a handler may leave by switching fibers, so the signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | extra;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, nullptr);
}

static int find_engine(dl_phdr_info* info, size_t, void*) {
    const auto here = reinterpret_cast<uintptr_t>(&find_engine);
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const auto& part = info->dlpi_phdr[index];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && here >= begin && here < end) {
            g_engine_begin = begin;
            g_engine_end = end;
            return 1;
        }
    }
    return 0;
}

void install_signal_handlers() {
    dl_iterate_phdr(find_engine, nullptr);
    for (const int signal_number : kFaultSignals) {
        install(signal_number, on_fault, SA_ONSTACK);
    }
    for (const int signal_number : kOtherSignals) {
        install(signal_number, on_other_signal, SA_ONSTACK);
    }
    for (int signal_number = SIGRTMIN; signal_number <= SIGRTMAX; signal_number++) {
        install(signal_number, on_other_signal, SA_ONSTACK);
    }
    install(tick_signal(), on_tick, SA_RESTART);
    struct sigaction old{};
    sigaction(SIGINT, nullptr, &old);
    if (old.sa_handler != SIG_IGN) {  // a process started in the background: Ctrl-C is not for it
        install(SIGINT, on_interrupt, SA_RESTART);
    }
}

RunScope::RunScope(Program& program) {
    g_running.store(&program);
    g_watch->doing = kRunningProgram;
}

RunScope::~RunScope() {
    g_running.store(nullptr);
    g_watch->place = kNoPlace;
    g_watch->doing = kDoingNothing;
}

namespace {

// The stack that signals of a thread are handled on.
class SignalStack {
public:
    ~SignalStack() {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }
    // Each run anew: kernels are native code, and may have taken it away.
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

// The tick of a thread. It goes on for a while after a run, so that of many short runs few have to start it: that, and
// ending it, would take as long as everything else that is done around a small run. Its signals come on the thread
// itself, so nothing here happens at the same time, but any line may be interrupted by on_tick().
class Tick {
public:
    ~Tick() {
        if (exists_) {
            timer_delete(timer_);
        }
    }
    void begin_run() {
        in_run_ = true;  // before looking: from here on it does not end
        if (!is_going_) {
            is_going_ = set(kTickNanoseconds);
        }
    }
    void end_run() {
        ticks_of_nothing_ = 0;
        in_run_ = false;
    }
    // At a tick with no run.
    void rest() {
        if (!in_run_ && ++ticks_of_nothing_ > 1) {
            set(0);
            is_going_ = false;
        }
    }

private:
    bool set(long nanoseconds) {
        exists_ = exists_ || create();
        const itimerspec interval{{0, nanoseconds}, {0, nanoseconds}};
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
    uint32_t ticks_of_nothing_ = 0;
};

thread_local SignalStack t_signal_stack;
thread_local Tick t_tick;

}  // namespace

static void rest_tick() { t_tick.rest(); }

ThreadSignals::ThreadSignals() {
    t_signal_stack.use();
    t_tick.begin_run();
}

ThreadSignals::~ThreadSignals() { t_tick.end_run(); }

}  // namespace tw
