// SPDX-License-Identifier: Apache-2.0
#include "host_memory.h"

#include <algorithm>
#include <stdexcept>

#include "card/simulator/times.h"

namespace card {

static DmaRead g_read = nullptr;
static DmaWrite g_write = nullptr;
static constexpr uint64_t kMaxTransfer = 1ull << 30;
// Where a card sees the host's memory: Wormhole at 32 GiB, Blackhole at 2^60.
static constexpr uint64_t kWormholeBase = 0x8'0000'0000, kBlackholeBase = 1ull << 60;

void set_dma_callbacks(DmaRead read, DmaWrite write) {
    g_read = read;
    g_write = write;
}

uint64_t HostMemory::bus_address(uint64_t address) const {
    if (g_read == nullptr || g_write == nullptr) {
        throw std::runtime_error("tilewright: fast dispatch needs host memory, and the host has mapped none");
    }
    const uint64_t base = address >= kBlackholeBase ? kBlackholeBase : address >= kWormholeBase ? kWormholeBase : 0;
    return windows_.host_base() + address - base;
}

// What the card reads from the host's memory, the host has written to the card.
void HostMemory::read(uint64_t address, void* data, uint64_t bytes) const {
    const TransferTime time(&Times::writing, &Times::bytes_written, bytes);
    const uint64_t begin = bus_address(address);
    for (uint64_t done = 0; done < bytes; done += kMaxTransfer) {
        const auto part = static_cast<uint32_t>(std::min(bytes - done, kMaxTransfer));
        g_read(begin + done, static_cast<uint8_t*>(data) + done, part);
    }
}

void HostMemory::write(uint64_t address, const void* data, uint64_t bytes) const {
    const TransferTime time(&Times::reading, &Times::bytes_read, bytes);
    const uint64_t begin = bus_address(address);
    for (uint64_t done = 0; done < bytes; done += kMaxTransfer) {
        const auto part = static_cast<uint32_t>(std::min(bytes - done, kMaxTransfer));
        g_write(begin + done, static_cast<const uint8_t*>(data) + done, part);
    }
}

}  // namespace card
