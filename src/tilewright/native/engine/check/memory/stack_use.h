// SPDX-License-Identifier: Apache-2.0
// Stack of a kernel against the local memory a card's processor has. Frames of this machine are larger than a card's,
// so only what would not fit if the whole local memory were stack is said; arrays are the same size everywhere.
#pragma once

#include <cstdint>

namespace tw {

struct KernelInstance;

// A load or store of the running kernel above 4 GiB: its stack, if it lies there.
void check_stack_access(KernelInstance& instance, uintptr_t address);

}  // namespace tw
