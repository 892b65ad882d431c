// SPDX-License-Identifier: Apache-2.0
// Stack use of a kernel against the local memory of a card's processor. Frames are larger on this machine than on a
// card, so a finding is made only if the stack would not fit the whole local memory. Arrays have the same size on both.
#pragma once

#include <cstdint>

namespace tw {

struct KernelInstance;

// A store of the running kernel above 4 GiB: to its own stack, its globals, or the state that the kernel API keeps for it.
// Ends the run for any other, which would change the engine itself.
void check_own_memory(const KernelInstance& instance, uintptr_t address);

// A load or store of the running kernel above 4 GiB, which may be its stack.
void check_stack_access(KernelInstance& instance, uintptr_t address);

}  // namespace tw
