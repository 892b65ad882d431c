// SPDX-License-Identifier: Apache-2.0
// Placement of the runner on a CPU.
//
// While a program runs its owner waits. A small run is over before another CPU has woken up, so it runs on the owner's
// CPU, whose cache holds what both use. A long run is left to the operating system, and may use all CPUs.
#pragma once

namespace tw {

// Moves to the owner's CPU, or leaves the choice to the operating system. Does nothing if that is so already.
void choose_cpu(bool is_small);

}  // namespace tw
