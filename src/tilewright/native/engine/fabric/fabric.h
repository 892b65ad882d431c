// SPDX-License-Identifier: Apache-2.0
// The fabric between dies: an ethernet core at each end of a link, with a router.
//
// The router kernels are not run. A router is modelled at its memory: a worker writes a packet into the next slot of the
// sender channel and then to the stream register that counts free slots. The route and the NoC command stand in the
// packet's header, as tt-metal's kernel headers write it. The packet crosses links, slot by slot (links.h), and is
// applied to the memory of the dies its header names. A slot's credit returns as late as it can: when a kernel of the
// worker's core looks at its memory. So a worker that does not wait for a free slot is noticed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "flight.h"
#include "links.h"
#include "packet_path.h"
#include "wire/runner.h"

namespace tw {

struct Core;
class Chip;
class Packet;

// Packets that a router's worker, or another router of its die, has given to it.
struct SenderChannel {
    uint32_t slots = 0;
    std::deque<HeldPacket> waiting;
    uint32_t unacknowledged = 0;  // packets that have crossed and keep their slot
    bool is_full() const { return waiting.size() + unacknowledged >= slots; }
};

struct Router {
    wire::FabricRouter is{};
    std::vector<uint8_t> memory;  // L1 of the ethernet core
    uint32_t end() const { return PacketPath::end(is.die, is.channel); }
    Router* other = nullptr;  // at the other end of the link
    std::vector<SenderChannel> senders;
    std::deque<HeldPacket> received;
    // The sender channel for packets that have arrived at a router of the same die, as tt-metal counts them.
    uint32_t channel_from(const Router& there) const;
    uint32_t passed_over = 0;  // rounds in which only packets of the worker crossed
    uint32_t speed = 0;  // in a randomised schedule
    uint32_t sent = 0, freed = 0;  // packets of workers, and those of them whose slots are free again
    void free_slot();
    uint64_t packets = 0, bytes = 0;  // that crossed the link from here, in this run
    uint32_t slot = 0;  // of the next packet
    const Core* worker = nullptr;  // the core whose connection is open
    uint32_t told = 0;  // free slots that core knows of
};

class Fabric {
public:
    // Adds a node for each router to the chip.
    Fabric(Chip& chip, const wire::FabricRouter* routers, size_t count);

    // Forgets every connection, after a run that left kernels half-way.
    void reset();
    // Counts what crosses each link from zero.
    void begin_run(uint64_t seed);
    Links& links() { return links_; }
    const Links& links() const { return links_; }
    const std::vector<std::unique_ptr<Router>>& routers() const { return routers_; }
    // The calling kernel writes a word to a NoC address. Returns whether that is a register, or the L1 of a router.
    bool write_word(uint64_t destination, uint32_t value);
    // Whether this is L1 of an ethernet core.
    bool holds(const uint8_t* memory) const;
    // A kernel of this core looks at its memory: it is told which slots are free.
    void return_credits(const Core& core);

private:
    void write_register(Router* router, Core* core, uint64_t address, uint32_t value);
    void open(Router& router);
    void close(Router& router);
    void send(Router& router);
    // Notes that the packet crosses the link of a router, and what it does at the other end. Returns the stop's index.
    uint32_t route(Flight& flight, Router& from, Packet& packet);
    void route_along_line(Flight& flight, uint32_t stop, Packet& packet);
    void route_in_mesh(Flight& flight, uint32_t stop, Packet& packet);
    Router& other_end(const Router& router);
    Router& downstream(const Router& router, uint32_t way);
    Router* router_at(uint32_t die, uint32_t channel);

    Chip& chip_;
    std::vector<std::unique_ptr<Router>> routers_;
    std::vector<Router*> open_;  // connections
    Links links_{routers_};
};

}  // namespace tw
