// SPDX-License-Identifier: Apache-2.0
#include "fabric.h"

#include <algorithm>
#include <cstring>

#include "check/fabric/packet_hooks.h"
#include "check/hooks.h"
#include "core.h"
#include "dataflow/noc_address.h"
#include "dataflow/noc_delivery.h"
#include "packet.h"

namespace tw {

namespace {

// NoC addresses of stream registers, of ethernet and worker cores.
constexpr uint64_t kStreamRegisters = 0xFFB40000, kStreamRegistersEnd = 0xFFB80000;
constexpr uint32_t kEthernetL1 = 512u << 10;
constexpr uint32_t kOpenRequest = 1, kCloseRequest = 2;
constexpr uint32_t kIncrementShift = 6;  // of the amount in a write to a stream register

constexpr uint32_t kWayBits = 16;
constexpr uint32_t kSlotBits = 8;  // of each channel in FabricRouter::sender_slots

// Directions of links, and the bit of an action that delivers to the die, as tt-metal counts them (Routing2DCodec).
constexpr uint32_t kEast = 0, kWest = 1, kNumDirections = 5;
constexpr uint8_t kDeliver = 1u << kNumDirections;

// What the host writes for every ethernet channel into the L1 of each worker core (fabric_connection_info_t).
struct Connection {
    uint32_t slots, handshake, location, cursor;
    uint16_t slot_bytes;
    uint8_t direction, x, y, num_slots;
    uint16_t stream;
} __attribute__((packed));

// What a worker that opens a connection writes into the router's L1 (EDMChannelWorkerLocationInfo), a word every 16 B.
struct WorkerLocation {
    uint32_t credit_address, pad0[3];
    uint32_t teardown_address, pad1[3];
    uint32_t worker_xy, pad2[3];
    uint32_t read_counter, pad3[3];
};

Connection connection_of(const Core& core, const Router& router) {
    Connection found;
    const uintptr_t table = uintptr_t{core.l1_base} + router.is.connections;
    std::memcpy(
        &found, reinterpret_cast<const void*>(table + router.is.channel * sizeof(Connection)), sizeof(Connection));
    return found;
}

WorkerLocation& location_of(Router& router) {
    return *reinterpret_cast<WorkerLocation*>(router.memory.data() + router.is.worker_location);
}

[[noreturn]] void stop_without_route(const Router& there) {
    rule_error(
        Rule::FabricRoute,
        "fabric: a packet reached chip %u over channel %u and has no route there: the number of hops in its header is "
        "wrong",
        there.is.die,
        there.is.channel);
}

}  // namespace

// A worker that opens a connection reads the counter.
void Router::free_slot() {
    freed++;
    location_of(*this).read_counter = freed;
}

// A channel for each direction but the router's own.
uint32_t Router::channel_from(const Router& there) const {
    const uint32_t from = there.is.direction;
    const uint32_t channel = is.mesh_rows == 0 ? 1 : 1 + (from < is.direction ? from : from - 1);
    return std::min(channel, static_cast<uint32_t>(senders.size()) - 1);
}

Fabric::Fabric(Chip& chip, const wire::FabricRouter* routers, size_t count) : chip_(chip) {
    for (size_t index = 0; index < count; index++) {
        auto router = std::make_unique<Router>();
        router->is = routers[index];
        router->memory.resize(kEthernetL1);
        NocNode& node = chip.node(router->is.die, router->is.noc_x, router->is.noc_y);
        node.memory = router->memory.data();
        node.bytes = kEthernetL1;
        node.router = router.get();
        for (uint64_t slots = router->is.sender_slots; slots != 0; slots >>= kSlotBits) {
            router->senders.emplace_back().slots = static_cast<uint32_t>(slots & ((1u << kSlotBits) - 1));
        }
        routers_.push_back(std::move(router));
    }
    for (auto& router : routers_) {
        router->other = router_at(router->is.peer_die, router->is.peer_channel);
    }
}

void Fabric::reset() {
    for (auto& router : routers_) {
        std::fill(router->memory.begin(), router->memory.end(), uint8_t{0});
        router->sent = router->freed = router->slot = 0;
        router->worker = nullptr;
    }
    open_.clear();
    links_.clear();
}

void Fabric::begin_run(uint64_t seed) {
    links_.draw_speeds(seed);
    for (auto& router : routers_) {
        router->packets = router->bytes = 0;
    }
}

bool Fabric::holds(const uint8_t* memory) const {
    return std::any_of(routers_.begin(), routers_.end(), [&](const auto& router) {
        return memory >= router->memory.data() && memory < router->memory.data() + router->memory.size();
    });
}

Router* Fabric::router_at(uint32_t die, uint32_t channel) {
    const auto found = std::find_if(routers_.begin(), routers_.end(), [&](const auto& router) {
        return router->is.die == die && router->is.channel == channel;
    });
    return found == routers_.end() ? nullptr : found->get();
}

Router& Fabric::other_end(const Router& router) {
    if (router.other == nullptr) {
        kernel_error(
            "fabric: the link of chip %u channel %u leads to chip %u channel %u, where no router runs",
            router.is.die,
            router.is.channel,
            router.is.peer_die,
            router.is.peer_channel);
    }
    return *router.other;
}

Router& Fabric::downstream(const Router& router, uint32_t way) {
    const auto place = static_cast<uint32_t>(router.is.downstream >> (kWayBits * way) & 0xffffu);
    Router* next = place == 0 ? nullptr : chip_.node(router.is.die, place & 0xffu, place >> 8).router;
    if (next == nullptr) {
        rule_error(
            Rule::FabricRoute,
            "fabric: a packet that reached chip %u over channel %u is to go on where no router is connected: the mesh "
            "ends there; the hops or the direction in its header are wrong",
            router.is.die,
            router.is.channel);
    }
    return *next;
}

bool Fabric::write_word(uint64_t destination, uint32_t value) {
    const NocAddress where = decode_noc_address(destination);
    const NocNode& node = chip_.node(where.x, where.y);
    const bool is_register = where.local >= kStreamRegisters && where.local < kStreamRegistersEnd;
    if (!is_register && node.router == nullptr) {
        return false;
    }
    Scheduler& scheduler = *this_scheduler();
    if (scheduler.looking_ahead) {
        return true;
    }
    on_call(current_instance());
    scheduler.progress++;
    if (is_register) {
        write_register(node.router, node.core, where.local, value);
        return true;
    }
    Router& router = *node.router;
    if (where.local + sizeof value > router.memory.size()) {
        kernel_error(
            "noc_inline_dw_write: 0x%llx does not lie in the L1 of an ethernet core",
            static_cast<unsigned long long>(where.local));
    }
    std::memcpy(router.memory.data() + where.local, &value, sizeof value);
    if (where.local == router.is.handshake && value == kOpenRequest) {
        open(router);
    } else if (where.local == router.is.handshake && value == kCloseRequest) {
        close(router);
    }
    return true;
}

void Fabric::open(Router& router) {
    const Core* core = current_instance().core;
    if (router.worker != nullptr) {
        rule_error(
            Rule::FabricNotClosed,
            "fabric: the connection to chip %u channel %u is opened while it is open: a kernel on core (%u,%u) opened "
            "it before and did not close it",
            router.is.die,
            router.is.channel,
            router.worker->x,
            router.worker->y);
    }
    router.worker = core;
    router.told = ~router.freed;  // slots may have become free since the kernel read the counter
    open_.push_back(&router);
    on_connection(current_instance(), router.end(), true);
}

void Fabric::close(Router& router) {
    router.worker = nullptr;
    std::erase(open_, &router);
    on_connection(current_instance(), router.end(), false);
    const WorkerLocation& worker = location_of(router);
    deliver_word(worker.worker_xy & 0xffffu, worker.worker_xy >> 16, worker.teardown_address, 1);
}

void Fabric::return_credits(const Core& core) {
    for (Router* router : open_) {
        if (router->worker == &core && router->told != router->freed) {
            const WorkerLocation& worker = location_of(*router);
            deliver_word(worker.worker_xy & 0xffffu, worker.worker_xy >> 16, worker.credit_address, router->freed);
            router->told = router->freed;
        }
    }
}

void Fabric::write_register(Router* router, Core* core, uint64_t address, uint32_t value) {
    if (router != nullptr) {
        send(*router);
        return;
    }
    if (core == nullptr) {
        kernel_error("noc_inline_dw_write: nothing has a stream register there");
    }
    const auto stream = static_cast<uint32_t>((address - kStreamRegisters) / kStreamRegisterStride);
    const uintptr_t word = uintptr_t{core->l1_base} + kStreamCounts + sizeof(uint32_t) * stream;
    const auto amount = static_cast<uint32_t>(static_cast<int32_t>(value) >> kIncrementShift);
    on_stream_raised(current_instance(), *core, static_cast<uint32_t>(word));
    this_scheduler()->outbox.increment(reinterpret_cast<uint8_t*>(word), amount, ~0u);
}

// The next slot holds a packet.
void Fabric::send(Router& router) {
    const Core& core = *current_instance().core;
    const Connection connection = connection_of(core, router);
    const WorkerLocation& worker = location_of(router);
    const uint32_t seen = word_of_worker(worker.worker_xy & 0xffffu, worker.worker_xy >> 16, worker.credit_address);
    if (router.sent - seen >= connection.num_slots) {
        rule_error(
            Rule::FabricNoFreeSlot,
            "fabric: a packet was sent to chip %u channel %u while all %u slots hold packets; wait for an empty slot "
            "(wait_for_empty_write_slot) before each packet",
            router.is.die,
            router.is.channel,
            connection.num_slots);
    }
    uint8_t* slot = router.memory.data() + connection.slots + router.slot * connection.slot_bytes;
    Packet packet(slot, router.is.header_bytes, router.end());
    const auto flight = std::make_shared<Flight>(current_instance(), slot, packet.bytes());
    route(*flight, router, packet);
    on_packet_sent(current_instance(), *flight, packet.is_multicast());
    links_.inject(router, flight);
    router.slot = (router.slot + 1) % connection.num_slots;
    router.sent++;
}

uint32_t Fabric::route(Flight& flight, Router& from, Packet& packet) {
    const auto stop = static_cast<uint32_t>(flight.stops.size());
    if (stop > routers_.size()) {
        rule_error(
            Rule::FabricRoute,
            "fabric: a packet has crossed every link and goes on: its route leads round in a circle");
    }
    Router& there = other_end(from);
    flight.stops.push_back({&from, &there, {}, {}});
    if (there.is.mesh_rows != 0) {
        route_in_mesh(flight, stop, packet);
    } else {
        route_along_line(flight, stop, packet);
    }
    return stop;
}

void Fabric::route_along_line(Flight& flight, uint32_t stop, Packet& packet) {
    const Router& there = *flight.stops[stop].there;
    const HopCommand command = packet.next_hop();
    if (command == HopCommand::None) {
        stop_without_route(there);
    }
    if (command == HopCommand::WriteAndForward) {
        packet.note_multicast();
    }
    if (command != HopCommand::Forward) {
        flight.stops[stop].effects = packet.effects(there.end());
    }
    if (command != HopCommand::Write) {
        flight.stops[stop].next = {route(flight, downstream(there, 0), packet)};
    }
}

// The header has a byte for each row and each column: a bit for each direction the packet goes on in, and one for this
// die. Along its row a packet looks at columns only; along its column, or from a worker, at rows first.
void Fabric::route_in_mesh(Flight& flight, uint32_t stop, Packet& packet) {
    const Router& there = *flight.stops[stop].there;
    const bool along_row = there.is.direction == kEast || there.is.direction == kWest;
    uint8_t action = along_row ? uint8_t{0} : packet.action(there.is.mesh_y);
    if (action == 0) {
        action = packet.action(there.is.mesh_rows + there.is.mesh_x);
    }
    if (action == 0) {
        stop_without_route(there);
    }
    for (uint32_t direction = 0; direction < kNumDirections; direction++) {
        if ((action >> direction & 1u) != 0 && direction != there.is.direction) {
            const uint32_t way = direction < there.is.direction ? direction : direction - 1;
            const uint32_t next = route(flight, downstream(there, way), packet);
            flight.stops[stop].next.push_back(next);
        }
    }
    if ((action & kDeliver) != 0) {
        if ((action & ~kDeliver) != 0) {
            packet.note_multicast();
        }
        flight.stops[stop].effects = packet.effects(there.end());
    }
}

}  // namespace tw
