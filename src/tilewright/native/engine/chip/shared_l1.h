// SPDX-License-Identifier: Apache-2.0
// Independent cores share one L1 backing store for their circular buffers.
//
// A launch on 64 cores runs them one after another. If each worked in its own L1, each would start with memory that is
// in no cache of this machine, which costs a quarter of a row-wise operation. The contents of a core's circular buffers
// are not needed after it has finished, so the next core may use the same memory. A program qualifies by a first run
// with separate L1s, in which every core runs to its end without waiting for another and none accesses another's
// circular buffers.
#pragma once

#include <atomic>
#include <cstdint>

#include "chip.h"

namespace tw {

class Program;

// Whether a program's cores may share.
struct SharedL1Record {
    L1Range range;  // from its first circular buffer to the end of its last
    bool may_share = false;  // as the last run showed
    std::atomic<bool> cores_met{false};  // in this run: a core waited for another, or accessed its L1
};

// The L1 that the cores of one scheduler share.
class SharedL1 {
public:
    SharedL1(Program& program, bool allowed) : program_(program), allowed_(allowed) {}
    // Before a core's kernels run for the first time, and after they have run until they wait.
    void enter(Core& core);
    void leave(Core& core, bool finished);

private:
    Program& program_;
    bool allowed_;
    uint32_t shared_base_ = 0;  // slot pointer of the shared L1: the first core's
};

// Memory of `core` at an L1 offset, in its own or the shared L1.
inline uint8_t* l1_memory(const Core& core, const L1Range& circular_buffers, uint64_t offset) {
    return reinterpret_cast<uint8_t*>(
        (circular_buffers.contains(offset) ? core.circular_base : core.l1_base) + static_cast<uintptr_t>(offset));
}

}  // namespace tw
