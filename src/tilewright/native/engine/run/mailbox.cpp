// SPDX-License-Identifier: Apache-2.0
// Mailboxes and semaphores between the threads of a compute kernel and BRISC (abi/threads.h).
#include "abi/noc.h"
#include "abi/threads.h"
#include "abi/tile.h"
#include "check/hooks.h"
#include "core.h"
#include "threads.h"

namespace tw {

static constexpr uint32_t kBrisc = 0, kUnpack = 1, kMath = 2, kPack = 3;
static constexpr uint32_t kDstSemaphore = 1;

// The calling thread, as mailboxes number them.
static uint32_t caller(const KernelInstance& instance) {
    if (!instance.is_compute()) {
        return kBrisc;
    }
    switch (named_threads(instance) & instance.threads) {
        case kUnpackThread: return kUnpack;
        case kMathThread: return kMath;
        case kPackThread: return kPack;
        default: return kAnyThread;
    }
}

// Takes the oldest word that `from` sent to `to`; false when there is none.
static bool take(Core& core, uint32_t to, uint32_t from, uint32_t& value) {
    auto& box = core.mailbox[to];
    for (auto word = box.begin(); word != box.end(); ++word) {
        if (word->from == from || (word->from == kAnyThread && from != kBrisc)) {
            value = word->value;
            box.erase(word);
            return true;
        }
    }
    return false;
}

static bool read_now(KernelInstance& reader, uint32_t from, uint32_t& value) {
    Core& core = *reader.core;
    const uint32_t to = caller(reader);
    if (to != kAnyThread) {
        return take(core, to, from, value);
    }
    return take(core, kMath, from, value) || take(core, kPack, from, value) || take(core, kUnpack, from, value);
}

static ThreadSemaphore& thread_semaphore(uint32_t index) {
    if (index >= kNumThreadSemaphores) {
        kernel_error("semaphore %u between the compute threads, allowed are 0 to %u", index, kNumThreadSemaphores - 1);
    }
    return current_instance().core->thread_semaphore[index];
}

}  // namespace tw

using namespace tw;

extern "C" {

uint32_t tw_begin_thread(uint32_t threads) {
    KernelInstance& instance = current_instance();
    const uint32_t named = instance.named_threads & threads;
    if ((named & instance.threads) == 0) {
        return 0;
    }
    instance.named_threads = instance.named_threads << 3 | named;
    return 1;
}

void tw_end_thread() { current_instance().named_threads >>= 3; }

void tw_mailbox_write(uint32_t to_thread, uint32_t value) {
    KernelInstance& writer = current_instance();
    if (to_thread > kPack) {
        kernel_error("mailbox_write: thread %u does not exist (0 BRISC, 1 unpack, 2 math, 3 pack)", to_thread);
    }
    if (is_for_another(writer)) {
        return;
    }
    writer.core->mailbox[to_thread].push_back({value, caller(writer)});
    writer.scheduler->progress++;
    on_mailbox(writer, true);
}

uint32_t tw_mailbox_read(uint32_t from_thread) {
    uint32_t value = 0;
    do {
        if (is_for_another(current_instance())) {
            return 0;
        }
    } while (!read_now(current_instance(), from_thread, value) && (tw_poll_yield(), true));
    KernelInstance& reader = current_instance();
    on_mailbox(reader, false);
    return value;
}

void tw_thread_semaphore_init(uint32_t index, uint32_t value, uint32_t most) {
    ThreadSemaphore& semaphore = thread_semaphore(index);
    if (!is_for_another(current_instance())) {
        semaphore = {value, most};
    }
}

void tw_thread_semaphore(uint32_t call, uint32_t index) {
    ThreadSemaphore& semaphore = thread_semaphore(index);
    KernelInstance& instance = current_instance();
    if (is_for_another(instance)) {
        return;
    }
    if (index == kDstSemaphore) {
        // A wait for this semaphore is tile_regs_wait; posts and gets are part of commit and release.
        if (static_cast<ThreadSemaphoreCall>(call) == ThreadSemaphoreCall::WaitNonZero) {
            tw_tile_regs_wait();
        }
        return;
    }
    const uint8_t thread = named_threads(instance);
    switch (static_cast<ThreadSemaphoreCall>(call)) {
        case ThreadSemaphoreCall::Post: semaphore.value++; break;
        case ThreadSemaphoreCall::Get: semaphore.value -= semaphore.value != 0 ? 1 : 0; break;
        case ThreadSemaphoreCall::WaitNonZero:
            wait_on(instance, thread, WaitKind::ThreadSemaphore, [&] { return semaphore.lets_pass(0); }, index, 0);
            break;
        case ThreadSemaphoreCall::WaitBelowMost:
            wait_on(instance, thread, WaitKind::ThreadSemaphore, [&] { return semaphore.lets_pass(1); }, index, 1);
            break;
    }
    instance.scheduler->progress++;
    on_synchronised(instance);
}

uint32_t tw_thread_semaphore_value(uint32_t index) {
    tw_poll_yield();
    return thread_semaphore(index).value;
}
}
