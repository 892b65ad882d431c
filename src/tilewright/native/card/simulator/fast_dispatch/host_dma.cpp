// SPDX-License-Identifier: Apache-2.0
#include "host_dma.h"

#include <algorithm>
#include <stdexcept>

#include "card/simulator/times.h"

namespace card {

static DmaRead g_read = nullptr;
static DmaWrite g_write = nullptr;
static constexpr uint64_t kMaxTransfer = 1ull << 30;
// Where the device sees the host's memory: Wormhole at 32 GiB, Blackhole at 2^60. Offsets start there.
static constexpr uint64_t kWormholeBase = 0x8'0000'0000, kBlackholeBase = 1ull << 60;

void set_dma_callbacks(DmaRead read, DmaWrite write) {
    g_read = read;
    g_write = write;
}

static uint64_t offset_of(uint64_t address) {
    if (g_read == nullptr || g_write == nullptr) {
        throw std::runtime_error("tilewright: fast dispatch needs host memory, and the host has mapped none");
    }
    if (address >= kBlackholeBase) {
        return address - kBlackholeBase;
    }
    return address >= kWormholeBase ? address - kWormholeBase : address;
}

// What the card reads from the host's memory, the host has written to the card.
void read_host(uint64_t address, void* data, uint64_t bytes) {
    const TransferTime time(&Times::writing, &Times::bytes_written, bytes);
    const uint64_t offset = offset_of(address);
    for (uint64_t done = 0; done < bytes; done += kMaxTransfer) {
        const auto part = static_cast<uint32_t>(std::min(bytes - done, kMaxTransfer));
        g_read(offset + done, static_cast<uint8_t*>(data) + done, part);
    }
}

void write_host(uint64_t address, const void* data, uint64_t bytes) {
    const TransferTime time(&Times::reading, &Times::bytes_read, bytes);
    const uint64_t offset = offset_of(address);
    for (uint64_t done = 0; done < bytes; done += kMaxTransfer) {
        const auto part = static_cast<uint32_t>(std::min(bytes - done, kMaxTransfer));
        g_write(offset + done, static_cast<const uint8_t*>(data) + done, part);
    }
}

}  // namespace card
