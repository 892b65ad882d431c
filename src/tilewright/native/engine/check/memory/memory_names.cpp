// SPDX-License-Identifier: Apache-2.0
#include "check/memory/memory_names.h"

#include <cstdio>

#include "program.h"

namespace tw {

uint32_t circular_buffer_at(const Core& core, uint32_t address) {
    for (uint32_t cb = 0; cb < kMaxCircularBuffers; cb++) {
        const CoreCircularBuffer& buffer = core.cb[cb];
        if (buffer.num_pages != 0 && address >= buffer.address && address < buffer.address + buffer.total_bytes) {
            return cb;
        }
    }
    return kNoCircularBuffer;
}

std::string l1_place_name(const Core& core, uint32_t address) {
    char text[64];
    const uint32_t cb = circular_buffer_at(core, address);
    if (cb == kNoCircularBuffer) {
        std::snprintf(text, sizeof text, "L1 offset 0x%x", address & kL1OffsetMask);
    } else {
        const CoreCircularBuffer& buffer = core.cb[cb];
        std::snprintf(text, sizeof text, "page %u of c_%u", (address - buffer.address) / buffer.page_bytes, cb);
    }
    return text;
}

std::string kernel_on_core(const KernelInstance& instance) {
    char text[160];
    std::snprintf(
        text, sizeof text, "%s on core (%u,%u)", instance.kernel->name.c_str(), instance.core->x, instance.core->y);
    return text;
}

}  // namespace tw
