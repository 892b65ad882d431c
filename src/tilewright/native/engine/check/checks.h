// SPDX-License-Identifier: Apache-2.0
// All state of a checked run that a plain run does not have. In plain runs `instance.checks` is null, and every hook in
// the engine tests that first.
#pragma once

#include "check/compute/compute_checks.h"
#include "check/compute/thread_order.h"
#include "check/credits/cb_access.h"
#include "check/fabric/packet_checks.h"
#include "check/findings.h"
#include "check/memory/arguments.h"
#include "check/memory/check_memory.h"
#include "check/memory/page_layouts.h"
#include "check/memory/processor_memory.h"
#include "check/memory/stored_pages.h"
#include "check/memory/tensor_places.h"
#include "check/noc/noc_checks.h"
#include "check/noc/work_split.h"
#include "check/ordering.h"
#include "check/races/access_history.h"
#include "check/values/values.h"

namespace tw {

class Program;

struct Checks {
    Checks(CheckMemory& kept, bool is_fast) :
        is_fast(is_fast), memory(kept.written), processors(ordering, memory, kept), values(kept.beside) {}

    // Only rules about calls: no marks of memory, no values, no races. Kernels need no instrumentation then.
    const bool is_fast;
    Findings findings;
    ArgumentReads arguments;
    ShadowMemory& memory;
    Ordering ordering;
    NocChecks noc{ordering};
    PacketChecks packets;
    CbAccess cb_access{ordering};
    ProcessorMemory processors;
    StoredPages stored_pages;
    AccessHistory history{ordering};
    TensorPlaces tensors;
    PageLayouts layouts{tensors};
    WorkSplit work_split{tensors};
    AllComputeChecks compute;
    ThreadOrder threads;
    ValueChecks values;
};

// Once the program is on the chip: marks the memory that is initialised before a kernel runs.
void load_shadow_memory(Program& program);

}  // namespace tw
