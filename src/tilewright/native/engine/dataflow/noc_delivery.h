// SPDX-License-Identifier: Apache-2.0
// What packets and routers write to memory. Where a packet's transfers go is known when the calling kernel sends it, on
// the die that NoC coordinates belong to then (chip.h); they take effect when it arrives.
#pragma once

#include <cstdint>

#include "fabric/packet_path.h"

namespace tw {

struct Flight;
struct NocNode;

// A write of bytes of the packet, or an increment of a word.
struct PacketEffect {
    uint8_t* to = nullptr;
    const NocNode* node = nullptr;
    uint64_t address = 0;  // NoC address on the die of arrival
    PacketPath path;
    uint32_t from = 0;  // of a write: offset of its bytes in the packet
    uint32_t bytes = 0;  // 0: an increment
    uint32_t amount = 0;
    bool flushes = false;  // an increment: what earlier packets wrote has arrived before

    bool overlaps(const PacketEffect& other) const { return to < other.to + other.bytes && other.to < to + bytes; }
};

PacketEffect packet_write(uint64_t address, uint32_t from, uint32_t bytes, const PacketPath& path);
PacketEffect packet_increment(uint64_t address, uint32_t amount, bool flushes, const PacketPath& path);
// The packet has arrived.
void take_effect(const PacketEffect& effect, const Flight& flight);

// A word of the L1 of a worker core on the calling kernel's die; it arrives with the round's flags.
void deliver_word(uint32_t x, uint32_t y, uint32_t address, uint32_t value);
// The value of such a word.
uint32_t word_of_worker(uint32_t x, uint32_t y, uint32_t address);

}  // namespace tw
