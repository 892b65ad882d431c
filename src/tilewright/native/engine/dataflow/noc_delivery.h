// SPDX-License-Identifier: Apache-2.0
// Transfers that a router makes for the calling kernel's packet, on the die that NoC coordinates belong to (chip.h).
#pragma once

#include <cstdint>

#include "fabric/packet_path.h"

namespace tw {

void deliver_write(uint64_t address, const uint8_t* from, uint32_t bytes, const PacketPath& path);
// flushes: the router waits first until what earlier packets wrote has arrived.
void deliver_increment(uint64_t address, uint32_t amount, bool flushes, const PacketPath& path);
// A word of the L1 of a worker core on the calling kernel's die; it arrives with the round's flags.
void deliver_word(uint32_t x, uint32_t y, uint32_t address, uint32_t value);
// The value of such a word.
uint32_t word_of_worker(uint32_t x, uint32_t y, uint32_t address);

}  // namespace tw
