// SPDX-License-Identifier: Apache-2.0
#include "runner/processor.h"

#include <sched.h>

#include "engine/signals/crash_record.h"

namespace tw {

namespace {

constexpr int kAny = -1;

cpu_set_t usable_processors() {
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0) {
        CPU_ZERO(&processors);
    }
    return processors;
}

}  // namespace

void choose_cpu(bool is_small) {
    static const cpu_set_t usable = usable_processors();
    static int chosen = kAny;
    const int owners = g_crash_record->owner_processor;
    const bool is_usable = owners >= 0 && owners < CPU_SETSIZE && CPU_ISSET(owners, &usable);
    const int wanted = is_small && is_usable ? owners : kAny;
    if (wanted == chosen) {
        return;
    }
    cpu_set_t processors = usable;
    if (wanted != kAny) {
        CPU_ZERO(&processors);
        CPU_SET(wanted, &processors);
    }
    chosen = sched_setaffinity(0, sizeof processors, &processors) == 0 ? wanted : kAny;
}

}  // namespace tw
