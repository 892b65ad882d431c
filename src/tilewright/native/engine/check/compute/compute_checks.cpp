// SPDX-License-Identifier: Apache-2.0
#include "check/compute/compute_checks.h"

#include "run/threads.h"

namespace tw {

ComputeChecks* AllComputeChecks::add(KernelInstance& instance, bool taints) {
    cores_.push_back(std::make_unique<CoreComputeChecks>());
    CoreComputeChecks& core = *cores_.back();
    core.thread[0].operands.instance = &instance;
    if (taints) {
        core.half = std::make_unique<DstTaint[]>(2);
        core.thread[0].values = &core.half[0];
    }
    return &core.thread[0];
}

CoreComputeChecks& AllComputeChecks::of(const KernelInstance& instance) {
    for (const auto& core : cores_) {
        if (core->thread[0].operands.instance == &instance) {
            return *core;
        }
    }
    __builtin_unreachable();
}

void AllComputeChecks::split_threads(KernelInstance& instance) {
    CoreComputeChecks& core = of(instance);
    for (uint32_t index = 0; index < kNumThreads; index++) {
        core.thread[index] = core.thread[0];
        instance.split->thread[index].settings.checks = &core.thread[index];
    }
}

void AllComputeChecks::use_half(KernelInstance& instance, uint32_t half) {
    if (instance.core->compute->taints) {
        instance.core->compute->checks->values = &of(instance).half[half];
    }
}

}  // namespace tw
