// SPDX-License-Identifier: Apache-2.0
// NoC addresses that no call can use: coordinates where no node is, and multicast addresses in the wrong kind of call.
#pragma once

#include <cstdint>

#include "noc_address.h"

namespace tw {

[[noreturn]] void stop_at_no_node(uint32_t x, uint32_t y, const char* call);
[[noreturn]] void refuse_multicast_address(uint64_t address, const char* call);

// A call for one core: a multicast address has the corner of a rectangle above its coordinates.
inline void stop_at_multicast_address(uint64_t address, const char* call) {
    if (address >> (kNocLocalBits + 2 * kNocNodeBits) != 0) [[unlikely]] {
        refuse_multicast_address(address, call);
    }
}

// A multicast: its address needs a rectangle, and that a worker core.
void stop_at_no_rectangle(uint64_t address, const char* call);

}  // namespace tw
