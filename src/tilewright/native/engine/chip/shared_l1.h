// SPDX-License-Identifier: Apache-2.0
// Cores that have nothing to do with each other take turns at one L1 for their circular buffers.
//
// A launch on 64 cores runs them one after another. If each works in its own L1, each starts with memory that no cache
// of this machine holds, which costs a quarter of a row-wise operation. What a core leaves in its circular buffers is
// nobody's, so the next one may have the same memory. A program earns this: a first run, with an L1 for each core,
// shows that every core runs to its end by itself and that none reaches for another's circular buffers.
#pragma once

#include <atomic>
#include <cstdint>

#include "chip.h"

namespace tw {

class Program;

// What runs have shown of a program.
struct SharedL1Record {
    L1Range range;                       // from its first circular buffer to the end of its last
    bool may_share = false;                 // by the last run
    std::atomic<bool> cores_met{false};  // in this run: a core waited for another, or reached for its L1
};

// The turns of one scheduler's cores.
class SharedL1 {
public:
    SharedL1(Program& program, bool allowed) : program_(program), allowed_(allowed) {}
    // Before a core's kernels run for the first time, and after they have run as far as they get.
    void enter(Core& core);
    void leave(Core& core, bool finished);

private:
    Program& program_;
    bool allowed_;
    uint32_t shared_base_ = 0;  // slot pointer of the L1 they share: the first one's
};

// Memory of `core` at an L1 offset, wherever it is now.
inline uint8_t* l1_memory(const Core& core, const L1Range& circular_buffers, uint64_t offset) {
    return reinterpret_cast<uint8_t*>(
        (circular_buffers.contains(offset) ? core.circular_base : core.l1_base) + static_cast<uintptr_t>(offset));
}

}  // namespace tw
