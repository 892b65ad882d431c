// SPDX-License-Identifier: Apache-2.0
// The way of a packet between two dies: the link it leaves its own die over and the link it arrives over, each by the
// die and ethernet channel at the sending and the receiving end. Packets over one path keep their order; those over
// different paths do not.
#pragma once

#include <cstdint>

namespace tw {

struct PacketPath {
    uint32_t left = 0, arrived = 0;  // die << 16 | channel

    static uint32_t end(uint32_t die, uint32_t channel) { return die << 16 | channel; }
    static uint32_t die(uint32_t end) { return end >> 16; }
    static uint32_t channel(uint32_t end) { return end & 0xffffu; }
    bool operator==(const PacketPath&) const = default;
};

}  // namespace tw
