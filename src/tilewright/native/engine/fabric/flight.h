// SPDX-License-Identifier: Apache-2.0
// A packet on its way: where its route leads and what it does there, as its header said when it was sent.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataflow/noc_delivery.h"

namespace tw {

struct KernelInstance;
struct Router;
struct SendNote;

struct Flight {
    // A link that the packet crosses, what it does at the other end, and the links it crosses from there.
    struct Stop {
        Router* from = nullptr;
        Router* there = nullptr;
        std::vector<PacketEffect> effects;
        std::vector<uint32_t> next;  // indices of stops
    };

    Flight(KernelInstance& by, const uint8_t* slot, uint32_t bytes) : by(&by), packet(slot), bytes(bytes) {}

    // The worker's slot is free for its next packet.
    void leave_slot() {
        own_.assign(packet, packet + bytes);
        packet = own_.data();
    }

    KernelInstance* by;
    const uint8_t* packet;  // header and payload
    const uint32_t bytes;
    std::vector<Stop> stops;
    std::shared_ptr<const SendNote> note;  // of a checked run

private:
    std::vector<uint8_t> own_;
};

// A packet in a slot of a channel of a router.
struct HeldPacket {
    std::shared_ptr<Flight> flight;
    uint32_t stop = 0;  // the link it crosses next, or has crossed
    uint32_t channel = 0;  // the sender channel it crosses that link from

    Flight::Stop& at() const { return flight->stops[stop]; }
};

}  // namespace tw
