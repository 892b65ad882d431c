// SPDX-License-Identifier: Apache-2.0
// What a chip keeps for its checked runs: as large as its memory, and too costly to make for each.
#pragma once

#include "check/memory/last_stores.h"
#include "check/memory/shadow_memory.h"

namespace tw {

struct CheckMemory {
    explicit CheckMemory(const Chip& chip) : written(chip), beside(chip), last_stores(chip), replaced(chip) {}

    void clear() {
        written.clear();
        beside.clear();
        last_stores.clear();
        replaced.clear();
    }

    ShadowMemory written;
    ShadowMemory beside;  // bytes a reduction left beside its result
    LastStores last_stores, replaced;  // who stored, and what was there before
};

}  // namespace tw
