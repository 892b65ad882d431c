// SPDX-License-Identifier: Apache-2.0
// Packets between dies and connections to routers, in a checked run.
//
// A packet belongs to the kernel that gave it to a router: its writes and increments are entered when it arrives, with
// the kernel's clock (check/ordering.h) and call of the moment it was sent, and the path it came over. An increment that flushes proves that earlier packets over the same
// path have been written (AccessHistory::packets_arrived). A connection orders the kernels that use it one after another.
// If the run is stuck, a word that is waited for is looked up among the words that packets raised on several dies.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "check/findings.h"
#include "check/ordering.h"
#include "fabric/packet_path.h"

namespace tw {

class Semaphores;
struct Core;
struct Flight;
struct KernelInstance;

// The kernel when it sent a packet.
struct SendNote {
    CallPlace place;
    Ordering::Clock clock;
};

class PacketChecks {
public:
    void sent(const KernelInstance& by, const Flight& flight, bool multicast);
    void connected(const KernelInstance& by, uint32_t end, bool opens);
    void exit(const KernelInstance& instance);
    // A kernel waits for a word for ever.
    void stuck(KernelInstance& waiting, uint32_t address, const Semaphores& semaphores) const;

private:
    struct Word {
        const Core* core;
        uint32_t address;  // slot pointer
    };
    struct Multicast {
        const KernelInstance* by;
        std::vector<Word> words;
        CallPlace place;
    };
    struct Opened {
        const KernelInstance* by;
        CallPlace place;
    };
    std::vector<Multicast> multicasts_;  // each kernel, place and set of words once
    std::map<uint32_t, Opened> open_;  // by the router's end of its link
};

}  // namespace tw
