// SPDX-License-Identifier: Apache-2.0
// Receivers of multicasts: a core that is signalled about data it does not get, and a core that waits for a multicast
// which leaves it out.
//
// A kernel's data since its last flag goes to a set of cores. A flag to a core outside that set is kept, and reported
// at the end if a kernel there waited for it and no other kernel sent data. If the run is stuck, a word that is waited
// for is looked up among the multicast words, and the rectangle that should have included the core is named.
#pragma once

#include <cstdint>
#include <vector>

#include "check/findings.h"

namespace tw {

class Program;
class Semaphores;
struct Core;

class MulticastReceivers {
public:
    void start(Program& program);
    // Data for a core, by a write or a multicast; `address` is a slot pointer.
    void sent(KernelInstance& by, const Core& core, uint32_t address, uint32_t bytes);
    // A multicast of the word at an L1 offset to these cores.
    void signalled(KernelInstance& by, uint32_t offset, const std::vector<Core*>& cores);
    // A kernel waits for a word for ever.
    void stuck(KernelInstance& waiting, uint32_t address, const Semaphores& semaphores);
    void finish(const Semaphores& semaphores, Findings& findings);

private:
    // What a kernel has sent since its last signal.
    struct Sent {
        std::vector<bool> cores;
        uint32_t num_cores = 0;
        uint32_t offset = 0, bytes = 0;  // of the last data
    };
    struct Signal {
        KernelInstance* by;
        uint32_t offset;
        std::vector<Core*> cores;
        CallPlace place;
    };
    // A core signalled about data that went to others; reported if a kernel there waits for the word.
    struct Missed {
        KernelInstance* by;
        const Core* core;
        uint32_t word;
        uint32_t num_others;
        CallPlace place;
    };
    uint32_t index_of(const Core& core) const;
    void note_missed(KernelInstance& by, uint32_t offset, const std::vector<Core*>& cores, const Sent& sent);

    Program* program_ = nullptr;
    std::vector<Sent> sent_;  // by instance
    std::vector<Signal> signals_;  // each place and rectangle once
    std::vector<Missed> missed_;
};

}  // namespace tw
