// SPDX-License-Identifier: Apache-2.0
// Whose memory lies where in a core's L1: circular buffers, the host's buffers, scratchpads, arguments and semaphores.
#pragma once

#include <cstdint>
#include <vector>

namespace tw {

class Program;
struct Core;

class L1Map {
public:
    // A stretch that belongs to the same owners from end to end. Circular buffers may share memory.
    struct Stretch {
        uint32_t begin, end;          // slot pointers
        uint64_t circular_buffers;    // bit per index
        bool is_plain;                // a buffer, a scratchpad, arguments, a tensor under a circular buffer, ...
    };

    void load(const Program& program, const Core& core);
    // The stretch that holds an address, or null where nothing is allocated.
    const Stretch* find(uint32_t address) const;

private:
    std::vector<Stretch> stretches_;  // by address, disjoint
};

}  // namespace tw
