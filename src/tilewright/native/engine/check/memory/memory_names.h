// SPDX-License-Identifier: Apache-2.0
// Names of memory and kernels in findings.
#pragma once

#include <cstdint>
#include <string>

namespace tw {

struct Core;
struct KernelInstance;

// The circular buffer that holds a slot pointer, or kNoCircularBuffer.
uint32_t circular_buffer_at(const Core& core, uint32_t address);
// "page 1 of c_0", or "L1 offset 0x1a000" outside circular buffers.
std::string l1_place_name(const Core& core, uint32_t address);
// "reader on core (0,0)"
std::string kernel_on_core(const KernelInstance& instance);

}  // namespace tw
