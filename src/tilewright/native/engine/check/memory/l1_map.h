// SPDX-License-Identifier: Apache-2.0
// Map of a core's L1: circular buffers, the host's buffers, scratchpads, arguments and semaphores.
#pragma once

#include <cstdint>
#include <vector>

namespace tw {

class Program;
struct Core;

class L1Map {
public:
    // A range with the same owners throughout. Circular buffers may share memory.
    struct Stretch {
        uint32_t begin, end;          // slot pointers
        uint64_t circular_buffers;    // bit per index
        bool is_plain;                // a buffer, a scratchpad, arguments, a tensor under a circular buffer, ...
    };

    void load(const Program& program, const Core& core);
    // The range that contains an address; null: nothing is allocated there.
    const Stretch* find(uint32_t address) const;

private:
    std::vector<Stretch> stretches_;  // by address, disjoint
};

}  // namespace tw
