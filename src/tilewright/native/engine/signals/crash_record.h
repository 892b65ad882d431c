// SPDX-License-Identifier: Apache-2.0
// What the process that owns the runner sees of it, in a memory file both have mapped: which kernel runs where, that
// it still hears signals, and what the runner says when it has to die.
//
// Kernels are native code: one may leave the runner without a heap, with a lock held for ever or with no handler for
// any signal. So a failure is told here first, without allocating anything; then the runner tries to answer as usual.
// If it dies on the way, or says nothing more, these words are what the owner has.
#pragma once

#include <cstdint>

extern "C" {

struct TwPlace {
    uint32_t kernel, core_x, core_y;  // kernel 0xffffffff: none, or not known
};

enum TwDoing : uint32_t { kDoingNothing = 0, kLoadingKernel = 1, kRunningProgram = 2 };

struct TwWatch {
    uint32_t doing;
    TwPlace place;      // of the kernel that is loaded, or runs, if one thread runs them all
    uint64_t beats;     // ticks of the run; they stop where a kernel blocks signals
    int32_t owner_processor;  // on which the owner was when it asked; it says so

    // Last words; `said` is written last.
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

// Of this process; nobody sees it where no file was given.
extern TwWatch* g_watch;

// The first to speak is heard.
void write_crash_record(
    RunStatus why, const KernelInstance* instance, int signal_number, uintptr_t address, const char* text);
// At once, without destructors.
[[noreturn]] void end_process(int status);
// The one who makes system calls with this as their last argument is the runner, not a kernel.
extern uint64_t g_system_call_cookie;

}  // namespace tw
