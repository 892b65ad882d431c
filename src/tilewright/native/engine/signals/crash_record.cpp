// SPDX-License-Identifier: Apache-2.0
#include "crash_record.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "program.h"

namespace tw {

static CrashRecord g_unseen;
CrashRecord* g_crash_record = &g_unseen;
uint64_t g_system_call_cookie = 0;

void write_crash_record(
    RunStatus why, const KernelInstance* instance, int signal_number, uintptr_t address, const char* text) {
    static std::atomic_flag spoken = ATOMIC_FLAG_INIT;
    CrashRecord& record = *g_crash_record;
    if (record.status != RunStatus::Ok || spoken.test_and_set()) {
        return;
    }
    record.signal_number = signal_number;
    record.address = address;
    record.crashed = record.place;
    record.num_frames = 0;
    if (instance != nullptr) {
        record.crashed = instance->place;
        record.l1_base = instance->core->l1_base;
        record.num_frames = std::min<uint32_t>(instance->noted.num_frames, std::size(record.frames));
        std::copy_n(instance->noted.frames, record.num_frames, record.frames);
    }
    const size_t length = std::min(std::strlen(text), sizeof record.text - 1);
    std::memcpy(record.text, text, length);
    record.text[length] = 0;
    std::atomic_thread_fence(std::memory_order_release);
    record.status = why;
    spoken.clear();
}

void end_process(int status) {
    for (;;) {
        syscall(SYS_exit_group, status, 0, 0, 0, 0, g_system_call_cookie);
    }
}

}  // namespace tw
