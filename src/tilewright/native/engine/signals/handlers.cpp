// SPDX-License-Identifier: Apache-2.0
// Installs the handlers of all signals, and handles those that are neither faults nor ticks.
#include <unistd.h>

#include <atomic>

#include "crash_record.h"
#include "debug/debugger.h"
#include "interrupted.h"
#include "run/scheduler.h"
#include "signals.h"

namespace tw {

// SIGABRT: abort(), and a C++ exception that is not caught. The other signals: a kernel sends them to itself.
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
static std::atomic<Program*> g_running{nullptr};

static bool is_sent_by(const siginfo_t& info, bool by_this_process) {
    const bool is_sent = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
    return is_sent && (info.si_pid == getpid()) == by_this_process;
}

// A signal from this process was sent by a kernel and is its failure; one from outside ends the process as usual.
static void on_other_signal(int signal_number, siginfo_t* info, void* raw_context) {
    if (is_sent_by(*info, false)) {
        end_process(128 + signal_number);
    }
    fail_at(raw_context, signal_number, 0, "");
}

// Ctrl-C in a terminal reaches the owner and the runner. The runner stops its run; the owner handles its own signal.
static void on_interrupt(int, siginfo_t* info, void* raw_context) {
    if (is_sent_by(*info, true)) {
        fail_at(raw_context, SIGINT, 0, "");
    }
    Program* program = g_running.load();
    if (program != nullptr && !(g_debugger != nullptr && g_debugger->is_stopped())) {
        program->fail(RunStatus::Interrupted, nullptr, "");
    }
}

static void install(int signal_number, void (*handler)(int, siginfo_t*, void*), int extra) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    // NODEFER: a handler may leave by switching fibers, so the signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_NODEFER | extra;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, nullptr);
}
void install_signal_handlers() {
    find_engine_code();
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
    if (old.sa_handler != SIG_IGN) {  // else the process was started in the background, which Ctrl-C does not address
        install(SIGINT, on_interrupt, SA_RESTART);
    }
}

RunScope::RunScope(Program& program) {
    g_running.store(&program);
    g_crash_record->activity = RunnerActivity::Running;
}

RunScope::~RunScope() {
    g_running.store(nullptr);
    g_crash_record->place = kNoPlace;
    g_crash_record->activity = RunnerActivity::Nothing;
}

}  // namespace tw
