// SPDX-License-Identifier: Apache-2.0
// The runner's status page, in a memory file that the process owning the runner has mapped too: which kernel runs
// where, whether signals still arrive, and a crash record.
//
// Kernels are native code: one may leave the runner without a heap, with a lock held for ever or without signal
// handlers. So a failure is first written here, without allocating anything; then the runner tries to answer as usual.
// If it dies on the way or no longer answers, the owner reports the crash record.
#pragma once

#include <cstdint>

extern "C" {

struct TwPlace {
    uint32_t kernel, core_x, core_y;  // kernel 0xffffffff: none, or not known
};

enum TwDoing : uint32_t { kDoingNothing = 0, kLoadingKernel = 1, kRunningProgram = 2 };

struct TwWatch {
    uint32_t doing;
    TwPlace place;  // of the kernel that is loaded, or runs on a single thread
    uint64_t beats;  // ticks of the run; they stop if a kernel blocks signals
    int32_t owner_processor;  // the owner's CPU when it sent the request, set by the owner

    // The crash record; `said` is written last.
    int32_t said;  // a RunStatus; 0: nothing
    int32_t signal_number;
    uint64_t address, l1_base;
    TwPlace who;
    uint32_t num_frames;
    uint64_t frames[24];
    char text[512];
};
}

namespace tw {

struct KernelInstance;
enum class RunStatus : int32_t;

inline constexpr TwPlace kNoPlace{0xffffffffu, 0, 0};

// Of this process; private memory if no file was given.
extern TwWatch* g_watch;

// Writes the crash record. Only the first failure is recorded.
void write_crash_record(
    RunStatus why, const KernelInstance* instance, int signal_number, uintptr_t address, const char* text);
// Ends the process at once, without destructors.
[[noreturn]] void end_process(int status);
// Last argument of the runner's own system calls, which tells them from a kernel's.
extern uint64_t g_system_call_cookie;

}  // namespace tw
