// SPDX-License-Identifier: Apache-2.0
// Everything a checked run keeps besides what a plain run does. Plain runs have none of it: `instance.checks` is null,
// and every hook in the engine asks that first.
#pragma once

#include "check/arguments.h"
#include "check/check_memory.h"
#include "check/compute_checks.h"
#include "check/findings.h"
#include "check/noc_checks.h"
#include "check/ordering.h"
#include "check/page_layouts.h"
#include "check/processor_memory.h"
#include "check/stored_pages.h"
#include "check/tensor_places.h"
#include "check/values.h"
#include "check/windows.h"

namespace tw {

class Program;

struct Checks {
    explicit Checks(CheckMemory& kept)
        : memory(kept.written), processors(ordering, memory, kept.last_stores), values(kept.beside) {}

    Findings findings;
    ArgumentReads arguments;
    ShadowMemory& memory;
    Ordering ordering;
    NocChecks noc{ordering};
    Windows windows{ordering};
    ProcessorMemory processors;
    StoredPages stored_pages;
    TensorPlaces tensors;
    PageLayouts layouts{tensors};
    AllComputeChecks compute;
    ValueChecks values;
};

// Once the program is on the chip: what of its memory holds something before a kernel runs.
void load_shadow_memory(Program& program);

}  // namespace tw
