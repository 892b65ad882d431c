// SPDX-License-Identifier: Apache-2.0
// Everything a checked run keeps besides what a plain run does. Plain runs have none of it: `instance.checks` is null,
// and every hook in the engine asks that first.
#pragma once

#include "check/findings.h"
#include "check/noc_checks.h"
#include "check/ordering.h"
#include "check/page_layouts.h"
#include "check/processor_memory.h"
#include "check/shadow_memory.h"
#include "check/windows.h"

namespace tw {

class Program;

struct Checks {
    explicit Checks(const Chip& chip) : memory(chip) {}

    Findings findings;
    ShadowMemory memory;
    Ordering ordering;
    NocChecks noc{ordering};
    Windows windows{ordering};
    ProcessorMemory processors{ordering, memory};
    PageLayouts layouts;
};

// Once the program is on the chip: what of its memory holds something before a kernel runs.
void load_shadow_memory(Program& program);

}  // namespace tw
