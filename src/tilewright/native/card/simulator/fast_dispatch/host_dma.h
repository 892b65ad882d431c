// SPDX-License-Identifier: Apache-2.0
// Host memory as the device reaches it over PCIe. tt-metal gives two callbacks; addresses are offsets from the start of
// the host memory that it mapped for the device.
#pragma once

#include <cstdint>

namespace card {

using DmaRead = void (*)(uint64_t address, void* data, uint32_t bytes);
using DmaWrite = void (*)(uint64_t address, const void* data, uint32_t bytes);

void set_dma_callbacks(DmaRead read, DmaWrite write);
void read_host(uint64_t address, void* data, uint64_t bytes);
void write_host(uint64_t address, const void* data, uint64_t bytes);

}  // namespace card
