// SPDX-License-Identifier: Apache-2.0
// Host memory as a card reaches it over PCIe. tt-metal gives two callbacks for all cards; each card has its own range of
// bus addresses, which begins where the host has set the card's outbound addresses to lead.
#pragma once

#include <cstdint>

#include "card/simulator/pcie_windows.h"

namespace card {

using DmaRead = void (*)(uint64_t address, void* data, uint32_t bytes);
using DmaWrite = void (*)(uint64_t address, const void* data, uint32_t bytes);

void set_dma_callbacks(DmaRead read, DmaWrite write);

class HostMemory {
public:
    explicit HostMemory(const PcieWindows& windows) : windows_(windows) {}

    // Addresses as the card's kernels use them.
    void read(uint64_t address, void* data, uint64_t bytes) const;
    void write(uint64_t address, const void* data, uint64_t bytes) const;

private:
    uint64_t bus_address(uint64_t address) const;

    const PcieWindows& windows_;
};

}  // namespace card
