// SPDX-License-Identifier: Apache-2.0
#include "check/memory/stack_use.h"

#include <algorithm>
#include <cstdio>

#include "check/checks.h"
#include "scheduler.h"

namespace tw {

static constexpr uint32_t kTrisc = 2;

static uint32_t local_memory_bytes(const KernelInstance& instance) {
    const ChipConfig& config = instance.scheduler->program.chip.config();
    return instance.context.processor == kTrisc ? config.trisc_local_bytes : config.brisc_local_bytes;
}

// The function whose frame is the largest, as walk_frames gives addresses: the frames from it outwards.
static uint32_t skip_to_largest_frame(const FiberStack& stack, uintptr_t frame_pointer) {
    uint32_t largest = 0;
    uintptr_t most = 0;
    for (uint32_t depth = 0; stack.contains(frame_pointer) && depth < kFindingFrames; depth++) {
        const uintptr_t next = *reinterpret_cast<const uintptr_t*>(frame_pointer);
        if (!stack.contains(next) || next <= frame_pointer) {
            break;
        }
        if (next - frame_pointer > most) {
            most = next - frame_pointer;
            largest = depth;
        }
        frame_pointer = next;
    }
    return largest;
}

void check_stack_access(KernelInstance& instance, uintptr_t address) {
    if (!instance.stack->contains(address)) {
        return;  // a global
    }
    const auto depth = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(instance.stack->high()) - address);
    const uint32_t limit = local_memory_bytes(instance);
    if (instance.stack_use_said || depth <= limit) {
        return;
    }
    instance.stack_use_said = true;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    uint64_t frames[kFindingFrames];
    const uint32_t count = walk_frames(*instance.stack, here, frames, kFindingFrames);
    const uint32_t skip = std::min(skip_to_largest_frame(*instance.stack, here), count);
    char text[160];
    std::snprintf(
        text, sizeof text, "%u bytes of stack in use, the processor's whole local memory has %u", depth, limit);
    instance.checks->findings.add(instance, "stack-size", kNoCircularBuffer, 0, frames + skip, count - skip, text);
}

}  // namespace tw
