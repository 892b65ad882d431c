// SPDX-License-Identifier: Apache-2.0
// Memory that a chip keeps for its checked runs: as large as the chip's memory, and too costly to create for each.
#pragma once

#include "check/memory/last_stores.h"
#include "check/memory/shadow_memory.h"

namespace tw {

struct CheckMemory {
    explicit CheckMemory(const Chip& chip) :
        written(chip), beside(chip), last_stores(chip), replaced(chip), first_stores(chip) {}

    void clear() {
        written.clear();
        beside.clear();
        last_stores.clear();
        replaced.clear();
        first_stores.clear();
    }

    ShadowMemory written;
    ShadowMemory beside;  // bytes that a reduction left beside its result
    LastStores last_stores;
    LastStores replaced;  // values before the last stores
    LastStores first_stores;  // stores that initialised a word
};

}  // namespace tw
