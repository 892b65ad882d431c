// SPDX-License-Identifier: Apache-2.0
#include "pcie_windows.h"

#include <cstring>

namespace card {

static constexpr uint64_t kMiB = 1ull << 20, kGiB = 1ull << 30;
static constexpr uint64_t kBar0 = 4 * kGiB, kBar2 = 8 * kGiB, kBar4 = 12 * kGiB;
static constexpr uint64_t kRegisters = kBar0 + 0x1fc00000;
static constexpr uint32_t kBlackholeId = 0xb1401e52;
// In BAR 2: the target of the first region of outbound addresses (iATU).
static constexpr uint64_t kBlackholeOutbound = kBar2 + 0x1014, kWormholeOutbound = kBar2 + 0x1214;

static constexpr uint32_t kMemory64 = 4;  // a BAR of 64 bits takes two words

// Windows of Wormhole lie one after another in BAR 0, in three sizes.
struct WindowRange {
    uint32_t count;
    uint64_t bytes;
    int address_bits;  // of a register, in units of the window's size
};
static constexpr WindowRange kWormhole[] = {{156, kMiB, 16}, {10, 2 * kMiB, 15}, {20, 16 * kMiB, 12}};
static constexpr uint32_t kBlackholeSmall = 202, kBlackholeLarge = 8;

PcieWindows::PcieWindows(uint32_t pci_id, uint32_t card) :
    pci_id_(pci_id), begin_(card * kCardStretch), is_blackhole_(pci_id == kBlackholeId) {}

uint32_t PcieWindows::config_word(uint32_t offset) const {
    switch (offset) {
        case 0x00: return pci_id_;
        case 0x10: return static_cast<uint32_t>(begin_ + kBar0) | kMemory64;
        case 0x14: return static_cast<uint32_t>((begin_ + kBar0) >> 32);
        case 0x18: return static_cast<uint32_t>(begin_ + kBar2) | kMemory64;
        case 0x1c: return static_cast<uint32_t>((begin_ + kBar2) >> 32);
        case 0x20: return static_cast<uint32_t>(begin_ + kBar4) | kMemory64;
        case 0x24: return static_cast<uint32_t>((begin_ + kBar4) >> 32);
        default: return 0;
    }
}

template <size_t size>
static bool access(
    std::array<uint8_t, size>& registers, uint64_t begin, bool write, uint64_t address, void* data, uint32_t bytes) {
    if (address < begin || address + bytes > begin + size) {
        return false;
    }
    uint8_t* at = registers.data() + (address - begin);
    if (write) {
        std::memcpy(at, data, bytes);
    } else {
        std::memcpy(data, at, bytes);
    }
    return true;
}

bool PcieWindows::access_registers(bool write, uint64_t address, void* data, uint32_t bytes) {
    const uint64_t outbound = is_blackhole_ ? kBlackholeOutbound : kWormholeOutbound;
    return access(registers_, kRegisters, write, address, data, bytes) ||
           access(outbound_target_, outbound, write, address, data, bytes);
}

// The first card's is 0; some releases of tt-metal write another target there.
uint64_t PcieWindows::host_base() const {
    uint64_t base = 0;
    if (begin_ == 0) {
        return base;
    }
    std::memcpy(&base, outbound_target_.data(), sizeof(base));
    return base;
}

std::optional<Target> PcieWindows::target(uint64_t address) const {
    return is_blackhole_ ? blackhole_target(address) : wormhole_target(address);
}

// A register: the address in units of the window's size, four coordinates of six bits, which NoC, whether to multicast.
Target PcieWindows::pointed(uint32_t window, uint32_t register_bytes, int address_bits, int multicast_bit) const {
    unsigned __int128 value = 0;
    std::memcpy(&value, registers_.data() + window * register_bytes, register_bytes);
    auto coordinate = [&](int index) { return static_cast<uint32_t>(value >> (address_bits + 6 * index)) & 63u; };
    Target target;
    target.address = static_cast<uint64_t>(value & ((static_cast<unsigned __int128>(1) << address_bits) - 1));
    target.x_end = coordinate(0);
    target.y_end = coordinate(1);
    target.multicast = (value >> (address_bits + multicast_bit) & 1) != 0;
    target.x_begin = target.multicast ? coordinate(2) : target.x_end;
    target.y_begin = target.multicast ? coordinate(3) : target.y_end;
    return target;
}

std::optional<Target> PcieWindows::wormhole_target(uint64_t address) const {
    uint64_t offset = address - kBar0;
    uint32_t first = 0;
    for (const WindowRange& range : kWormhole) {
        if (offset < range.count * range.bytes) {
            Target target = pointed(first + static_cast<uint32_t>(offset / range.bytes), 8, range.address_bits, 25);
            target.address = target.address * range.bytes + offset % range.bytes;
            return target;
        }
        offset -= range.count * range.bytes;
        first += range.count;
    }
    return std::nullopt;
}

std::optional<Target> PcieWindows::blackhole_target(uint64_t address) const {
    const bool is_large = address >= kBar4;
    const uint64_t bytes = is_large ? 4 * kGiB : 2 * kMiB;
    const uint64_t offset = address - (is_large ? kBar4 : kBar0);
    const uint64_t index = offset / bytes;
    if (address < kBar0 || index >= (is_large ? kBlackholeLarge : kBlackholeSmall)) {
        return std::nullopt;
    }
    const uint32_t window = static_cast<uint32_t>(index) + (is_large ? kBlackholeSmall : 0);
    Target target = pointed(window, 12, is_large ? 32 : 43, 26);
    target.address = target.address * bytes + offset % bytes;
    return target;
}

}  // namespace card
