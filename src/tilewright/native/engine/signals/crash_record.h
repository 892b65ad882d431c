// SPDX-License-Identifier: Apache-2.0
// The runner's status page, in a memory file that the process owning the runner has mapped too: which kernel runs
// where, whether signals still arrive, and a crash record.
//
// Kernels are native code: one may leave the runner without a heap, with a lock held for ever or without signal
// handlers. So a failure is first written here, without allocating anything; then the runner tries to answer as usual.
// If it dies on the way or no longer answers, the owner reports the crash record.
#pragma once

#include <cstdint>

#include "wire/runner.h"

namespace tw {

using wire::CrashRecord;
using wire::KernelPlace;
using wire::RunnerActivity;
using wire::RunStatus;

struct KernelInstance;

inline constexpr KernelPlace kNoPlace{wire::kNoKernel, 0, 0};

// Of this process; private memory if no file was given.
extern CrashRecord* g_crash_record;

// Writes the crash record. Only the first failure is recorded.
void write_crash_record(
    RunStatus why, const KernelInstance* instance, int signal_number, uintptr_t address, const char* text);
// Ends the process at once, without destructors.
[[noreturn]] void end_process(int status);
// Last argument of the runner's own system calls, which tells them from a kernel's.
extern uint64_t g_system_call_cookie;

}  // namespace tw
