// SPDX-License-Identifier: Apache-2.0
#include "check/noc_memory.h"

#include "check/values.h"

namespace tw {

void noc_copied(KernelInstance& instance, uint8_t* to, const uint8_t* from, uint64_t bytes, bool to_local) {
    taint_noc_copy(instance, to, from, bytes, to_local);
    instance.checks->memory.copy(to, from, bytes);
}

void noc_wrote(KernelInstance& instance, uint8_t* to, uint64_t bytes) { taint_defined(instance, to, bytes); }

}  // namespace tw
