// SPDX-License-Identifier: Apache-2.0
// Decoding of NoC addresses (see abi/noc.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/noc.h"
#include "chip/chip.h"

namespace tw {

struct NocAddress {
    uint32_t x, y;
    uint64_t local;
};

inline constexpr uint64_t kNocLocalMask = (uint64_t{1} << kNocLocalBits) - 1;

inline uint32_t noc_node_field(uint64_t address, uint32_t field) {
    return static_cast<uint32_t>(address >> (kNocLocalBits + field * kNocNodeBits)) & ((1u << kNocNodeBits) - 1);
}

inline NocAddress decode_noc_address(uint64_t address) {
    return {noc_node_field(address, 0), noc_node_field(address, 1), address & kNocLocalMask};
}

// The rectangle of a multicast. NoC 1 names its corners in the opposite order.
struct NocRectangle {
    uint32_t x_start, y_start, x_end, y_end;

    explicit NocRectangle(uint64_t address) :
        x_start(noc_node_field(address, 2)),
        y_start(noc_node_field(address, 3)),
        x_end(noc_node_field(address, 0)),
        y_end(noc_node_field(address, 1)) {}

    uint32_t left() const { return std::min(x_start, x_end); }
    uint32_t right() const { return std::max(x_start, x_end); }
    uint32_t top() const { return std::min(y_start, y_end); }
    uint32_t bottom() const { return std::max(y_start, y_end); }

    // Visits every worker core inside: action(core, x, y).
    template <typename Action>
    void for_each_core(Chip& chip, Action action) const {
        for (uint32_t y = top(); y <= bottom(); y++) {
            for (uint32_t x = left(); x <= right(); x++) {
                if (Core* core = chip.node(x, y).core) {
                    action(*core, x, y);
                }
            }
        }
    }
};

}  // namespace tw
