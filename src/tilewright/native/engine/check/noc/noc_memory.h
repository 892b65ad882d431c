// SPDX-License-Identifier: Apache-2.0
// What a checked run learns from a NoC transfer about the memory at its two ends.
#pragma once

#include "scheduler.h"

namespace tw {

// Behind the tests below, for checked runs only.
void noc_copied(KernelInstance& instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local);
void noc_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes);

void noc_takes(KernelInstance& instance, const uint8_t* from, uint64_t bytes);
void noc_puts(KernelInstance& instance, uint8_t* to, uint64_t bytes, const uint8_t* values, bool to_local);

// A transfer is about to take `bytes` bytes from `from`.
inline void judge_noc_source(const uint8_t* from, uint64_t bytes) {
    KernelInstance& instance = current_instance();
    if (instance.checks != nullptr) [[unlikely]] {
        noc_takes(instance, from, bytes);
    }
}

// A transfer is about to put `bytes` bytes to `to`; null values: not those of any memory.
inline void judge_noc_destination(uint8_t* to, uint64_t bytes, const uint8_t* values, bool to_local) {
    KernelInstance& instance = current_instance();
    if (instance.checks != nullptr) [[unlikely]] {
        noc_puts(instance, to, bytes, values, to_local);
    }
}

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
