// SPDX-License-Identifier: Apache-2.0
// What a checked run keeps about the tile maths of one core.
#pragma once

#include <memory>
#include <vector>

#include "check/compute/operands.h"
#include "check/values/values.h"

namespace tw {

struct ComputeChecks {
    OperandChecks operands;
    DstTaint values;
};

// One per core with a compute kernel; cores point into it.
struct AllComputeChecks {
    ComputeChecks* add(KernelInstance& instance) {
        cores.push_back(std::make_unique<ComputeChecks>());
        cores.back()->operands.instance = &instance;
        return cores.back().get();
    }
    std::vector<std::unique_ptr<ComputeChecks>> cores;
};

}  // namespace tw
