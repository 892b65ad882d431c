// SPDX-License-Identifier: Apache-2.0
#include "links.h"

#include <algorithm>
#include <utility>

#include "fabric.h"
#include "mixing.h"
#include "run/outbox.h"

namespace tw {

namespace {

constexpr uint32_t kMostPassedOver = 32;  // rounds in which a forwarded packet waits for those of the worker
constexpr uint32_t kWorkerChannel = 0;
constexpr uint32_t kSpeeds = 4;  // of links in randomised schedules: one step in 1, 2, 4 or 8

std::string name_of(const Router& link) {
    return "chip " + std::to_string(link.is.die) + " channel " + std::to_string(link.is.channel) + " to chip " +
           std::to_string(link.is.peer_die) + " channel " + std::to_string(link.is.peer_channel);
}

// Whether the packet at the head of a sender channel can cross.
bool can_cross(const Router& from, uint32_t channel) {
    const Router& there = *from.other;
    const uint32_t needed = (from.is.injects >> channel & 1u) != 0 ? 2 : 1;
    return !from.senders[channel].waiting.empty() && there.is.receiver_slots >= there.received.size() + needed;
}

// The sender channel whose packet crosses next; the number of channels: none can.
uint32_t next_channel(const Router& from, uint64_t* random) {
    const auto count = static_cast<uint32_t>(from.senders.size());
    const uint32_t first = random != nullptr                     ? static_cast<uint32_t>(next_random(*random) % count)
                           : from.passed_over >= kMostPassedOver ? kWorkerChannel + 1
                                                                 : kWorkerChannel;
    for (uint32_t index = 0; index < count; index++) {
        const uint32_t channel = (first + index) % count;
        if (can_cross(from, channel)) {
            return channel;
        }
    }
    return count;
}

}  // namespace

void Links::inject(Router& router, std::shared_ptr<Flight> flight) {
    router.senders[kWorkerChannel].waiting.push_back({std::move(flight), 0, kWorkerChannel});
    in_flight_++;
}

void Links::clear() {
    for (const auto& router : routers_) {
        for (SenderChannel& channel : router->senders) {
            channel.waiting.clear();
            channel.unacknowledged = 0;
        }
        router->received.clear();
        router->passed_over = 0;
    }
    in_flight_ = 0;
}

void Links::draw_speeds(uint64_t seed) {
    for (const auto& router : routers_) {
        router->speed = static_cast<uint32_t>(next_random(seed) % kSpeeds);
    }
}

bool Links::step(uint64_t* random) {
    small_writes_.clear();
    // Slow links may all have waited by chance.
    const bool moved = move_all(random) || (random != nullptr && move_all(nullptr));
    for (const auto& flight : std::exchange(leaving_, {})) {
        if (flight.use_count() > 1) {
            flight->leave_slot();
        }
    }
    return moved;
}

bool Links::move_all(uint64_t* random) {
    bool moved = false;
    for (const auto& router : routers_) {
        const bool waits = random != nullptr && next_random(*random) % (1u << router->speed) != 0;
        moved |= !waits && cross(*router, random);
    }
    for (const auto& router : routers_) {
        moved |= receive(*router);
    }
    return moved;
}

bool Links::cross(Router& from, uint64_t* random) {
    bool moved = false;
    bool worker_crossed = false, forwarded_crossed = false;
    for (;;) {
        const uint32_t channel = next_channel(from, random);
        if (channel == from.senders.size()) {
            break;
        }
        SenderChannel& sender = from.senders[channel];
        HeldPacket held = std::move(sender.waiting.front());
        sender.waiting.pop_front();
        (channel == kWorkerChannel ? worker_crossed : forwarded_crossed) = true;
        from.packets++;
        from.bytes += held.flight->bytes;
        if (from.is.acknowledges == 0) {
            sender.unacknowledged++;
        } else if (channel == kWorkerChannel) {
            from.free_slot();
            leaving_.push_back(held.flight);
        }
        from.other->received.push_back(std::move(held));
        moved = true;
    }
    from.passed_over = worker_crossed && !forwarded_crossed ? from.passed_over + 1 : 0;
    return moved;
}

// A flag that its receiver may not have seen yet is not overwritten in the same step.
bool Links::is_written_this_step(const Flight::Stop& stop) const {
    return std::any_of(stop.effects.begin(), stop.effects.end(), [&](const PacketEffect& effect) {
        return effect.bytes != 0 && effect.bytes <= Outbox::kMostFlagBytes &&
               std::any_of(small_writes_.begin(), small_writes_.end(), [&](const PacketEffect& earlier) {
                   return effect.overlaps(earlier);
               });
    });
}

void Links::arrive(const HeldPacket& held) {
    for (const PacketEffect& effect : held.at().effects) {
        take_effect(effect, *held.flight);
        if (effect.bytes != 0 && effect.bytes <= Outbox::kMostFlagBytes) {
            small_writes_.push_back(effect);
        }
    }
}

bool Links::receive(Router& there) {
    bool moved = false;
    while (!there.received.empty()) {
        HeldPacket& held = there.received.front();
        const Flight::Stop& stop = held.at();
        const bool has_room = std::all_of(stop.next.begin(), stop.next.end(), [&](uint32_t next) {
            const Router& onward = *held.flight->stops[next].from;
            return !onward.senders[onward.channel_from(there)].is_full();
        });
        if (!has_room || is_written_this_step(stop)) {
            break;
        }
        arrive(held);
        for (const uint32_t next : stop.next) {
            Router& onward = *held.flight->stops[next].from;
            const uint32_t channel = onward.channel_from(there);
            onward.senders[channel].waiting.push_back({held.flight, next, channel});
            in_flight_++;
        }
        Router& from = *stop.from;
        if (from.is.acknowledges == 0) {
            from.senders[held.channel].unacknowledged--;
            if (held.channel == kWorkerChannel) {
                from.free_slot();
                leaving_.push_back(held.flight);
            }
        }
        there.received.pop_front();
        in_flight_--;
        moved = true;
    }
    return moved;
}

// The link whose sender channel has no room for the packet that a link's other end has received first; null: none.
const Router* Links::blocked_by(const Router& from) {
    const Router& there = *from.other;
    if (there.received.empty()) {
        return nullptr;
    }
    const HeldPacket& held = there.received.front();
    for (const uint32_t next : held.at().next) {
        const Router& onward = *held.flight->stops[next].from;
        if (onward.senders[onward.channel_from(there)].is_full()) {
            return &onward;
        }
    }
    return nullptr;
}

Links::Circle Links::circle() const {
    // A packet that stays waits for a full receiver, whose first packet waits for a full sender channel.
    const auto first = std::find_if(
        routers_.begin(), routers_.end(), [](const auto& router) { return blocked_by(*router) != nullptr; });
    std::vector<const Router*> links{first->get()};
    for (const Router* next = blocked_by(*links.back()); next != nullptr; next = blocked_by(*links.back())) {
        const auto known = std::find(links.begin(), links.end(), next);
        if (known != links.end()) {
            links.erase(links.begin(), known);
            break;
        }
        links.push_back(next);
    }
    const Flight* waiting = links.front()->other->received.front().flight.get();
    std::string text = "fabric: packets wait for each other's slots in a circle and none can move: on the link from " +
                       name_of(*links.front()) + ", all " + std::to_string(links.front()->other->is.receiver_slots) +
                       " slots hold packets";
    for (size_t index = 1; index <= links.size(); index++) {
        text += (index == 1 ? ", of which the first goes on over the link from " : ", there over the link from ") +
                name_of(*links[index % links.size()]);
    }
    return {
        waiting->by,
        text +
            "; routes along a column first and then along a row, as fabric_set_unicast_route writes them, form no "
            "circle"};
}

}  // namespace tw
