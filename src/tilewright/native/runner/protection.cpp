// SPDX-License-Identifier: Apache-2.0
// The filter is a BPF program (seccomp): a chain of tests of the call's number, then a test of an argument where one
// decides. Calls not in the list raise SIGSYS, which on_refused_call turns into an error of the kernel that made the
// call. Calls reserved for the runner (opening a library, ending the process) carry a random number as their sixth
// argument, which the system ignores and the filter sees. This prevents accidents, not attacks: a kernel could find the
// number in memory, and could then still only read files.
#include "runner/protection.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "engine/run/scheduler.h"
#include "engine/signals/crash_record.h"

namespace tw {

#if defined(__x86_64__)
static constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
static constexpr uint32_t kMachine = 0;
#endif

void end_with_owner(int lifeline) {
    fcntl(lifeline, F_SETOWN, getpid());
    fcntl(lifeline, F_SETSIG, SIGKILL);
    fcntl(lifeline, F_SETFL, O_ASYNC | O_NONBLOCK);
    pollfd state{lifeline, POLLIN, 0};
    if (poll(&state, 1, 0) != 0) {  // the owner ended before this process started
        end_process(0);
    }
}

void prefer_as_oom_victim() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        static_cast<void>(!write(file, "1000", 4));
        close(file);
    }
}

namespace {
struct NamedCall {
    long number;
    const char* name;
    const char* reason;
};
}  // namespace

static constexpr char kFiles[] = "a kernel has no business with files";
static constexpr char kNetwork[] = "a kernel has no business with the network";
static constexpr char kProcesses[] = "a kernel starts no process";
static constexpr char kSignals[] = "signals are the engine's";
static constexpr char kOthers[] = "a kernel has no business with other processes";

// Calls that a kernel is likely to try, by name.
static constexpr NamedCall kNamedCalls[] = {
#ifdef SYS_open
    {SYS_open, "open", kFiles},
    {SYS_fork, "fork", kProcesses},
    {SYS_vfork, "vfork", kProcesses},
    {SYS_unlink, "unlink", kFiles},
    {SYS_rename, "rename", kFiles},
    {SYS_mkdir, "mkdir", kFiles},
    {SYS_pipe, "pipe", kFiles},
    {SYS_alarm, "alarm", kSignals},
    {SYS_pause, "pause", kSignals},
#endif
    {SYS_openat, "openat", kFiles},
    {SYS_unlinkat, "unlinkat", kFiles},
    {SYS_mkdirat, "mkdirat", kFiles},
    {SYS_ftruncate, "ftruncate", kFiles},
    {SYS_pipe2, "pipe2", kFiles},
    {SYS_clone, "clone", kProcesses},
    {SYS_execve, "execve", kProcesses},
    {SYS_socket, "socket", kNetwork},
    {SYS_socketpair, "socketpair", kNetwork},
    {SYS_connect, "connect", kNetwork},
    {SYS_bind, "bind", kNetwork},
    {SYS_sendto, "sendto", kNetwork},
    {SYS_recvfrom, "recvfrom", kNetwork},
    {SYS_kill, "kill", kSignals},
    {SYS_tkill, "tkill", kSignals},
    {SYS_tgkill, "tgkill", kSignals},
    {SYS_rt_sigaction, "sigaction", kSignals},
    {SYS_setitimer, "setitimer", kSignals},
    {SYS_ptrace, "ptrace", kOthers},
    {SYS_process_vm_writev, "process_vm_writev", kOthers},
    {SYS_process_vm_readv, "process_vm_readv", kOthers},
    {SYS_exit_group, "exit", "a kernel ends by returning from kernel_main"},
    {SYS_setpriority, "setpriority", kOthers},
};

// Needed by the C library, the engine, or a kernel that allocates, sleeps or prints.
static constexpr long kAllowed[] = {
    SYS_read,
    SYS_write,
    SYS_futex,
    SYS_rt_sigreturn,
    SYS_timer_settime,
    SYS_timer_create,
    SYS_timer_delete,
    SYS_sigaltstack,
    SYS_gettid,
    SYS_getpid,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_madvise,
    SYS_mremap,
    SYS_brk,
    SYS_rt_sigprocmask,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_getcpu,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_pread64,
    SYS_readv,
    SYS_writev,
    SYS_exit,
    SYS_set_robust_list,
    SYS_getrandom,
    SYS_restart_syscall,
    SYS_uname,
    SYS_sysinfo,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_membarrier,
    SYS_set_tid_address,
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
};

namespace {
// The filter's instructions. Tests of one call jump over each other, so each is a separate small program.
class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0));
        give(SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
    }
    void allow(long call) { when(call, {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}); }
    void answer(long call, int error) {
        when(call, {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error))});
    }
    // Allows the call if an argument, under the mask, has this value.
    void allow_if(long call, uint32_t argument, uint32_t mask, uint32_t value) {
        when(call, {load_argument(argument), masked(mask), allow_if_equal(value), refuse()});
    }
    // Allows signals to the process itself, except those that cannot be caught.
    void allow_signals(long call, uint32_t signal_argument, uint32_t self) {
        when(
            call,
            {load_argument(0),
             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0),
             refuse(),
             load_argument(signal_argument),
             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGKILL, 1, 0),
             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGSTOP, 0, 1),
             refuse(),
             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)});
    }
    // Allows the call if the sixth argument is the runner's and, where a mask is given, the third has none of its bits.
    void allow_runner(long call, uint32_t third_must_not_have) {
        when(
            call,
            {load_argument(2),
             BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, third_must_not_have, 4, 0),
             load_argument(5),
             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(g_system_call_cookie), 0, 2),
             load_upper_argument(5),
             allow_if_equal(static_cast<uint32_t>(g_system_call_cookie >> 32)),
             refuse()});
    }
    void refuse_other_calls() { code_.push_back(refuse()); }
    sock_fprog program() { return {static_cast<unsigned short>(code_.size()), code_.data()}; }

private:
    static constexpr size_t argument_place(uint32_t argument) {
        return offsetof(seccomp_data, args) + argument * sizeof(uint64_t);  // both machines are little-endian
    }
    static sock_filter load_argument(uint32_t argument) {
        return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(argument_place(argument)));
    }
    static sock_filter load_upper_argument(uint32_t argument) {
        return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(argument_place(argument) + 4));
    }
    static sock_filter masked(uint32_t mask) { return BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask); }
    static sock_filter refuse() { return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP); }
    // Two instructions in one place would shift the jumps around it: the allowing one is shared and placed at the end.
    static sock_filter allow_if_equal(uint32_t value) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0); }

    void load(size_t place) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(place))); }
    void give(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
    void when(long call, std::vector<sock_filter> then) {
        then.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));  // where allow_if_equal jumps to
        const auto length = static_cast<uint8_t>(then.size());
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, length));
        code_.insert(code_.end(), then.begin(), then.end());
    }
    std::vector<sock_filter> code_;
};
}  // namespace

static void set_result(void* raw_context, long result) {
    auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
#if defined(__x86_64__)
    machine.gregs[REG_RAX] = result;
#elif defined(__aarch64__)
    machine.regs[0] = static_cast<unsigned long long>(result);
#endif
}

// The dynamic linker opens a kernel's library: the runner makes the call in its place.
static long open_for_linker(void* raw_context) {
    auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
#if defined(__x86_64__)
    const auto* registers = machine.gregs;
    const long directory = registers[REG_RDI], path = registers[REG_RSI], flags = registers[REG_RDX];
#elif defined(__aarch64__)
    const long directory = machine.regs[0], path = machine.regs[1], flags = machine.regs[2];
#else
    const long directory = 0, path = 0, flags = 0;
    (void)machine;
#endif
    const long file = syscall(SYS_openat, directory, path, flags, 0, 0, g_system_call_cookie);
    return file < 0 ? -errno : file;
}

static void on_refused_call(int, siginfo_t* info, void* raw_context) {
    if (info->si_syscall == SYS_openat && g_crash_record->activity == RunnerActivity::Loading) {
        set_result(raw_context, open_for_linker(raw_context));
        return;
    }
    if (!is_in_kernel() && g_crash_record->activity != RunnerActivity::Loading) {
        set_result(raw_context, -EPERM);  // a call of the C library for the engine
        return;
    }
    char text[160];
    std::snprintf(text, sizeof text, "made system call %d, which the runner refuses", info->si_syscall);
    for (const NamedCall& call : kNamedCalls) {
        if (call.number == info->si_syscall) {
            std::snprintf(text, sizeof text, "called %s, which the runner refuses: %s", call.name, call.reason);
        }
    }
    abort_kernel(raw_context, text);
}

int filter_system_calls() {
    if (kMachine == 0) {
        return ENOSYS;
    }
    if (getrandom(&g_system_call_cookie, sizeof g_system_call_cookie, 0) < 0) {
        return errno;
    }
    struct sigaction action{};
    action.sa_sigaction = on_refused_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigaction(SIGSYS, &action, nullptr);
    const auto self = static_cast<uint32_t>(getpid());
    Filter filter;
    for (const long call : kAllowed) {
        filter.allow(call);
    }
    filter.allow_signals(SYS_kill, 1, self);
    filter.allow_signals(SYS_tgkill, 2, self);
    filter.allow_if(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
    filter.allow_if(SYS_ioctl, 1, 0xffffffffu, TCGETS);
    filter.allow_if(SYS_prlimit64, 2, 0xffffffffu, 0);  // only looks
    filter.allow_runner(SYS_openat, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    filter.allow_runner(SYS_exit_group, 0);
    filter.answer(SYS_prctl, EPERM);
    filter.answer(SYS_fcntl, EPERM);
#ifdef SYS_clone3
    // its flags lie in memory, which a filter cannot read; the C library then tries clone
    filter.answer(SYS_clone3, ENOSYS);
#endif
    filter.refuse_other_calls();
    sock_fprog program = filter.program();
    // Without SPEC_ALLOW some systems would slow down every branch.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) != 0) {
        return errno;
    }
    return 0;
}

}  // namespace tw
