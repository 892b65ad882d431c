// SPDX-License-Identifier: Apache-2.0
// Flow control between routers.
//
// A router has a sender channel for its worker and one for each router of its die that packets come from, and a
// receiver channel for what crosses its link. Each has a fixed number of slots. A packet crosses a link if the receiver
// at the other end has a free slot; it leaves the receiver when every router of that die that it goes on to has a free
// slot in its sender channel. Without acknowledgements it keeps its slot of the sender channel until then. On rings, a
// packet that joins the ring leaves one slot of the receiver free (bubble flow control), so that a ring never fills up.
//
// Packets move between the rounds of the run loop, one hop in a round, when the kernels have come as far as they can. A
// worker's packets cross before forwarded ones. So links fill up as far as a card may fill them; forwarded packets are
// let past after kMostPassedOver rounds. In randomised schedules each link has a speed of its own, and packets also move
// while kernels run.
//
// Where a packet arrives it is written to memory, which never waits. So packets of which none can move will never move.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flight.h"

namespace tw {

class Links {
public:
    using Routers = std::vector<std::unique_ptr<Router>>;

    explicit Links(const Routers& routers) : routers_(routers) {}

    // A worker has written a packet into a slot of this router.
    void inject(Router& router, std::shared_ptr<Flight> flight);
    bool empty() const { return in_flight_ == 0; }
    void clear();
    // Packets move by up to one hop each. `random`: state of a randomised schedule; null: none. Returns whether any did.
    bool step(uint64_t* random);
    // Draws the speed of each link of a randomised schedule.
    void draw_speeds(uint64_t seed);

    // Packets of which none can move.
    struct Circle {
        KernelInstance* sender;  // of one of them
        std::string text;
    };
    Circle circle() const;

private:
    bool move_all(uint64_t* random);
    bool cross(Router& from, uint64_t* random);
    bool receive(Router& there);
    bool is_written_this_step(const Flight::Stop& stop) const;
    void arrive(const HeldPacket& held);
    static const Router* blocked_by(const Router& from);

    const Routers& routers_;
    uint64_t in_flight_ = 0;  // packets in slots; copies of a multicast count for themselves
    std::vector<std::shared_ptr<Flight>> leaving_;  // their slot of the worker's channel is free from now on
    std::vector<PacketEffect> small_writes_;  // of this step
};

}  // namespace tw
