// SPDX-License-Identifier: Apache-2.0
#include "check/noc_memory.h"

namespace tw {

void noc_copied(KernelInstance& instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool) {
    instance.checks->memory.copy(to, from, bytes);
}

void noc_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes) { instance.checks->memory.define(to, bytes); }

}  // namespace tw
