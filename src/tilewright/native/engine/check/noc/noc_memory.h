// SPDX-License-Identifier: Apache-2.0
// What a checked run learns from a NoC transfer about the memory at its two ends.
#pragma once

#include "scheduler.h"

namespace tw {

// Behind the tests below, for checked runs only.
void noc_copied(KernelInstance& instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local);
void noc_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes);

// `bytes` bytes have gone from `from` to `to`. The end at the kernel's own core is `to` of a read, `from` of a write.
inline void note_noc_copy(uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local) {
    KernelInstance& instance = current_instance();
    if (instance.checks != nullptr) [[unlikely]] {
        noc_copied(instance, to, from, bytes, to_local);
    }
}

// Something that comes from no memory (an inline value, an increment, zeros) has been written.
inline void note_noc_word(uint8_t* to, uint64_t bytes) {
    KernelInstance& instance = current_instance();
    if (instance.checks != nullptr) [[unlikely]] {
        noc_wrote(instance, to, bytes);
    }
}

}  // namespace tw
