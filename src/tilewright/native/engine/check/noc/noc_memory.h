// SPDX-License-Identifier: Apache-2.0
// Hooks of NoC transfers for the memory at their two ends.
#pragma once

#include "check/hook.h"
#include "run/scheduler.h"

namespace tw {

// A transfer is about to read `bytes` bytes at `from`.
TW_HOOK(instance, noc_takes, (KernelInstance & instance, const uint8_t* from, uint64_t bytes), (instance, from, bytes))
// A transfer is about to write `bytes` bytes at `to`; null values: not from memory.
TW_HOOK(
    instance,
    noc_puts,
    (KernelInstance & instance, uint8_t* to, uint64_t bytes, const uint8_t* values, bool to_local),
    (instance, to, bytes, values, to_local))
// `bytes` bytes were copied from `from` to `to`. The end on the kernel's own core is `to` of a read, `from` of a write.
TW_HOOK(
    instance,
    noc_copied,
    (KernelInstance & instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local),
    (instance, to, from, bytes, to_local))
// A value that comes from no memory (an inline value, an increment, zeros) was written.
TW_HOOK(instance, noc_wrote, (KernelInstance & instance, uint8_t* to, uint64_t bytes), (instance, to, bytes))

namespace checked {
// A packet of the kernel writes there.
void packet_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes);
}  // namespace checked

}  // namespace tw
