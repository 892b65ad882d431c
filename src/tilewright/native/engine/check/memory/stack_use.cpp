// SPDX-License-Identifier: Apache-2.0
#include "check/memory/stack_use.h"

#include <algorithm>
#include <cstdio>

#include "check/checks.h"
#include "core.h"
#include "run/scheduler.h"

namespace tw {

static constexpr uint32_t kTrisc = 2;

static uint32_t local_memory_bytes(const KernelInstance& instance) {
    const ChipConfig& config = instance.scheduler->program.chip.config();
    return instance.context.processor == kTrisc ? config.trisc_local_bytes : config.brisc_local_bytes;
}

// Frames of this machine's build differ from a card's: nothing is inlined, and words are twice as wide. Arrays are the
// same in both, so only frames that can hold one count. Calls in compute kernels are inlined here too, each with its
// own stack slots for what a card's build keeps in registers: their stack may be four times as large.
static constexpr uintptr_t kFrameWithArray = 1024;

namespace {
struct LargeFrames {
    uintptr_t bytes = 0;   // of all of them
    uint32_t largest = 0;  // how far out the largest frame is, as walk_frames gives addresses
};
}  // namespace

static LargeFrames find_large_frames(const FiberStack& stack, uintptr_t frame_pointer) {
    LargeFrames found;
    uintptr_t most = 0;
    for (uint32_t depth = 0; stack.contains(frame_pointer) && depth < kFindingFrames; depth++) {
        const uintptr_t next = *reinterpret_cast<const uintptr_t*>(frame_pointer);
        if (!stack.contains(next) || next <= frame_pointer) {
            break;
        }
        const uintptr_t bytes = next - frame_pointer;
        found.bytes += bytes >= kFrameWithArray ? bytes : 0;
        if (bytes > most) {
            most = bytes;
            found.largest = depth;
        }
        frame_pointer = next;
    }
    return found;
}

void check_own_memory(const KernelInstance& instance, uintptr_t address) {
    const auto context = reinterpret_cast<uintptr_t>(&instance.context);
    const auto noc_state = reinterpret_cast<uintptr_t>(instance.noc_state);
    if (instance.stack->contains(address) || address - context < sizeof instance.context ||
        address - noc_state < sizeof instance.noc_state) {
        return;
    }
    for (const KernelCode& each : instance.kernel->code) {
        if (address - reinterpret_cast<uintptr_t>(each.statics) < each.statics_bytes) {
            return;
        }
    }
    kernel_error(
        "stores to address 0x%llx, which is neither in L1 nor in the kernel's own stack or globals",
        static_cast<unsigned long long>(address));
}

void check_stack_access(KernelInstance& instance, uintptr_t address) {
    if (!instance.stack->contains(address)) {
        return;  // a global
    }
    const auto depth = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(instance.stack->high()) - address);
    const uint32_t limit = local_memory_bytes(instance);
    if (depth <= std::max(instance.is_compute() ? 4 * limit : limit, instance.stack_checked)) {
        return;
    }
    instance.stack_checked = depth;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const LargeFrames large = find_large_frames(*instance.stack, here);
    if (large.bytes * 4 < uint64_t{limit} * 3) {
        return;
    }
    instance.stack_checked = UINT32_MAX;  // once is enough
    uint64_t frames[kFindingFrames];
    const uint32_t count = walk_frames(*instance.stack, here, frames, kFindingFrames);
    const uint32_t skip = std::min(large.largest, count);
    char text[160];
    std::snprintf(
        text, sizeof text, "%u bytes of stack in use, the processor's whole local memory has %u", depth, limit);
    instance.checks->findings.add(instance, Rule::StackSize, kNoCircularBuffer, 0, frames + skip, count - skip, text);
}

}  // namespace tw
