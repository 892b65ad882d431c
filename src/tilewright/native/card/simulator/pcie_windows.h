// SPDX-License-Identifier: Apache-2.0
// A card on the PCI bus: three address ranges (BARs) of windows. Each window maps a range of one NoC node's memory, or
// of a rectangle of nodes, selected by its register. Each card has its own range of bus addresses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace card {

// Bus addresses of card number n begin at n times this.
inline constexpr uint64_t kCardStretch = 1ull << 40;

// Target of an access to a window.
struct Target {
    uint32_t x_begin = 0, y_begin = 0, x_end = 0, y_end = 0;  // inclusive; equal unless multicast
    uint64_t address = 0;
    bool multicast = false;
};

class PcieWindows {
public:
    PcieWindows(uint32_t pci_id, uint32_t card);

    uint32_t config_word(uint32_t offset) const;
    // Addresses are relative to the card's range. Returns whether the bytes are window registers, which are then read
    // or written.
    bool access_registers(bool write, uint64_t address, void* data, uint32_t bytes);
    std::optional<Target> target(uint64_t address) const;
    // Where the host's memory for this card begins on the bus: the target of the first region of outbound addresses.
    uint64_t host_base() const;

private:
    std::optional<Target> wormhole_target(uint64_t address) const;
    std::optional<Target> blackhole_target(uint64_t address) const;
    Target pointed(uint32_t window, uint32_t register_bytes, int address_bits, int multicast_bit) const;

    uint32_t pci_id_;
    uint64_t begin_;  // of the card's range
    bool is_blackhole_;
    std::array<uint8_t, 12 * 256> registers_{};
    std::array<uint8_t, 8> outbound_target_{};
};

}  // namespace card
