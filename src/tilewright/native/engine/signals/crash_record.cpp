// SPDX-License-Identifier: Apache-2.0
#include "crash_record.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "program.h"

namespace tw {

static TwWatch g_unseen;
TwWatch* g_watch = &g_unseen;
uint64_t g_system_call_cookie = 0;

void write_crash_record(
    RunStatus why, const KernelInstance* instance, int signal_number, uintptr_t address, const char* text) {
    static std::atomic_flag spoken = ATOMIC_FLAG_INIT;
    TwWatch& watch = *g_watch;
    if (watch.said != 0 || spoken.test_and_set()) {
        return;
    }
    watch.signal_number = signal_number;
    watch.address = address;
    watch.who = watch.place;
    watch.num_frames = 0;
    if (instance != nullptr) {
        watch.who = instance->place;
        watch.l1_base = instance->core->l1_base;
        watch.num_frames = std::min<uint32_t>(instance->noted.num_frames, std::size(watch.frames));
        std::copy_n(instance->noted.frames, watch.num_frames, watch.frames);
    }
    const size_t length = std::min(std::strlen(text), sizeof watch.text - 1);
    std::memcpy(watch.text, text, length);
    watch.text[length] = 0;
    std::atomic_thread_fence(std::memory_order_release);
    watch.said = static_cast<int32_t>(why);
    spoken.clear();
}

void end_process(int status) {
    for (;;) {
        syscall(SYS_exit_group, status, 0, 0, 0, 0, g_system_call_cookie);
    }
}

}  // namespace tw
