// SPDX-License-Identifier: Apache-2.0
// The fabric between dies: an ethernet core at each end of a link, with a router.
//
// The router kernels are not run. A router is modelled at its memory: a worker writes a packet into the next slot of the
// sender channel and then to the stream register that counts free slots. The packet crosses the link and is applied to
// the memory of the dies its header names. The slot's credit returns as late as it can: when a kernel of the worker's
// core looks at its memory. So a worker that does not wait for a free slot is noticed. The route and the NoC command
// stand in the packet's header, as tt-metal's kernel headers write it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "packet_path.h"
#include "wire/runner.h"

namespace tw {

struct Core;
class Chip;
class Packet;

struct Router {
    wire::FabricRouter is{};
    std::vector<uint8_t> memory;  // L1 of the ethernet core
    uint32_t end() const { return PacketPath::end(is.die, is.channel); }
    uint32_t sent = 0;  // packets of workers
    uint64_t packets = 0, bytes = 0;  // that crossed the link from here, in this run
    uint32_t slot = 0;  // of the next packet
    const Core* worker = nullptr;  // the core whose connection is open
    bool owes = false;  // credits to that core
};

class Fabric {
public:
    // Adds a node for each router to the chip.
    Fabric(Chip& chip, const wire::FabricRouter* routers, size_t count);

    // Forgets every connection, after a run that left kernels half-way.
    void reset();
    // Counts what crosses each link from zero.
    void begin_run();
    const std::vector<std::unique_ptr<Router>>& routers() const { return routers_; }
    // The calling kernel writes a word to a NoC address. Returns whether that is a register, or the L1 of a router.
    bool write_word(uint64_t destination, uint32_t value);
    // Whether this is L1 of an ethernet core.
    bool holds(const uint8_t* memory) const;
    // A kernel of this core looks at its memory: what routers owe it arrives with the round's flags.
    void return_credits(const Core& core);

private:
    void write_register(Router* router, Core* core, uint64_t address, uint32_t value);
    void open(Router& router);
    void close(Router& router);
    void send(Router& router);
    // The packet crosses the link of a router, and is applied or goes on at its other end.
    void cross(Router& from, Packet& packet, uint32_t hops);
    void arrive_in_mesh(const Router& there, Packet& packet, uint32_t hops);
    Router& other_end(const Router& router);
    Router& downstream(const Router& router, uint32_t way);
    Router* router_at(uint32_t die, uint32_t channel);

    Chip& chip_;
    std::vector<std::unique_ptr<Router>> routers_;
    std::vector<Router*> owing_;
};

}  // namespace tw
