// SPDX-License-Identifier: Apache-2.0
// What a checked run keeps about the tile maths of one core.
#pragma once

#include <memory>
#include <vector>

#include "check/compute/operands.h"
#include "check/values/values.h"

namespace tw {

// As one of the threads of a compute kernel sees it, or all three while they go together.
struct ComputeChecks {
    OperandChecks operands;
    DstTaint* values = nullptr;  // of the half of DST it works on
};

// One per core with a compute kernel; cores point into it.
struct CoreComputeChecks {
    ComputeChecks thread[3];
    DstTaint half[2];
};

struct AllComputeChecks {
    ComputeChecks* add(KernelInstance& instance);
    // Every thread of the kernel goes on with what all of them had.
    void split_threads(KernelInstance& instance);
    // A thread goes on with another half of DST.
    void use_half(KernelInstance& instance, uint32_t half);

private:
    CoreComputeChecks& of(const KernelInstance& instance);

    std::vector<std::unique_ptr<CoreComputeChecks>> cores_;
};

}  // namespace tw
