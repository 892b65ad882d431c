// SPDX-License-Identifier: Apache-2.0
// Loads and stores of kernels, seen one by one in a checked run.
#pragma once

#include <cstdint>

namespace tw {

struct KernelInstance;

// A load or store of the running kernel that touches its core's L1. `address` is the full slot pointer.
void check_l1_access(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write, bool is_typed);

}  // namespace tw
