// SPDX-License-Identifier: Apache-2.0
// Mailboxes between BRISC and the three threads of a compute kernel (see abi/tile.h for who reads what).
#include "abi/noc.h"
#include "abi/tile.h"
#include "check/hooks.h"
#include "core.h"
#include "scheduler.h"

namespace tw {

static constexpr uint32_t kBrisc = 0, kUnpack = 1, kMath = 2, kPack = 3;

// Takes the oldest word that `from_brisc` sent to `to`; false when there is none.
static bool take(Core& core, uint32_t to, bool from_brisc, uint32_t& value) {
    auto& box = core.mailbox[to];
    for (auto word = box.begin(); word != box.end(); ++word) {
        if (word->from_brisc == from_brisc) {
            value = word->value;
            box.erase(word);
            return true;
        }
    }
    return false;
}

static bool read_now(KernelInstance& reader, uint32_t from, uint32_t& value) {
    Core& core = *reader.core;
    if (!reader.is_compute()) {
        return take(core, kBrisc, false, value);
    }
    for (const uint32_t to : {kMath, kPack, kUnpack}) {
        if (take(core, to, from == kBrisc, value)) {
            return true;
        }
    }
    return false;
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_mailbox_write(uint32_t to_thread, uint32_t value) {
    KernelInstance& writer = current_instance();
    if (to_thread > kPack) {
        kernel_error("mailbox_write: thread %u does not exist (0 BRISC, 1 unpack, 2 math, 3 pack)", to_thread);
    }
    writer.core->mailbox[to_thread].push_back({value, !writer.is_compute()});
    writer.scheduler->progress++;
    if (writer.checks != nullptr) [[unlikely]] {
        on_mailbox(writer, true);
    }
}

uint32_t tw_mailbox_read(uint32_t from_thread) {
    uint32_t value = 0;
    while (!read_now(current_instance(), from_thread, value)) {
        tw_poll_yield();
    }
    KernelInstance& reader = current_instance();
    if (reader.checks != nullptr) [[unlikely]] {
        on_mailbox(reader, false);
    }
    return value;
}
}
