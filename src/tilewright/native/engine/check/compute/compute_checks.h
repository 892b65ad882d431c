// SPDX-License-Identifier: Apache-2.0
// State of a checked run about the tile math of one core.
#pragma once

#include <memory>
#include <vector>

#include "check/compute/operands.h"
#include "check/values/values.h"

namespace tw {

// Of one thread of a compute kernel, or of all three while one fiber runs them.
struct ComputeChecks {
    OperandChecks operands;
    DstTaint* values = nullptr;  // of the half of DST it works on, if values are tracked
};

// One per core with a compute kernel; cores point to it.
struct CoreComputeChecks {
    ComputeChecks thread[3];
    std::unique_ptr<DstTaint[]> half;  // two of them, or none if values are not tracked
};

struct AllComputeChecks {
    ComputeChecks* add(KernelInstance& instance, bool taints);
    // Each thread starts with a copy of the common state.
    void split_threads(KernelInstance& instance);
    // A thread continues with another half of DST.
    void use_half(KernelInstance& instance, uint32_t half);

private:
    CoreComputeChecks& of(const KernelInstance& instance);

    std::vector<std::unique_ptr<CoreComputeChecks>> cores_;
};

}  // namespace tw
