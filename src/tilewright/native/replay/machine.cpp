// SPDX-License-Identifier: Apache-2.0
// A read: the request travels, the bank (or the other core's port) serves it, the data travel back and enter the core
// through its port. A write: the data leave through the core's port, travel, are served, and the answer travels back.
// A bank takes its time for the bytes, but never less than its shortest interval for each packet.
//
// Both NoCs are rings in each direction: NoC 0 goes right, then down, NoC 1 up, then left. So the way there and back
// goes once around wherever the two ends are, unless they share a column or row. Data take their share of each link on
// their way; requests and answers are small and take none.
#include "machine.h"

#include <cmath>

#include "abi/noc.h"

namespace tw::replay {

// More of the time an access to DRAM takes lies behind the bank than before it.
static constexpr double kBeforeBank = 0.3;
static constexpr uint32_t kPlaces = 64 * 64;
// Cycles of a bin. There are hundreds of links, and each keeps its bins for the whole launch.
static constexpr double kBankBin = 32, kLinkBin = 128;

Machine::Machine(const TwReplayInput& input) :
    k_(*reinterpret_cast<const Constants*>(input.constants)),
    dram_factor_(input.change.dram_factor),
    node_of_(kPlaces, -1),
    nodes_(input.nodes, input.nodes + input.num_nodes),
    core_of_(1u << 16, -1),
    banks_(input.num_banks, Capacity(kBankBin)),
    columns_(input.noc_columns),
    rows_(input.noc_rows) {
    for (auto& links : links_) {
        links.assign(2 * static_cast<size_t>(columns_) * rows_, Capacity(kLinkBin));
    }
    for (size_t node = 0; node < nodes_.size(); node++) {
        node_of_[(nodes_[node].noc_y & 63u) * 64 + (nodes_[node].noc_x & 63u)] = static_cast<int32_t>(node);
    }
}

uint32_t Machine::add_core(uint32_t x, uint32_t y) {
    int32_t& number = core_of_[x | y << 8];
    if (number < 0) {
        number = static_cast<int32_t>(ports_.size());
        Port port;
        for (const TwReplayNode& node : nodes_) {
            if (node.is_dram == 0 && node.index == (x | y << 8)) {
                port.x = node.place_x, port.y = node.place_y;
            }
        }
        ports_.push_back(port);
    }
    return static_cast<uint32_t>(number);
}

Place Machine::place(uint64_t noc_address) {
    const auto x = static_cast<uint32_t>(noc_address >> kNocLocalBits & 63u);
    const auto y = static_cast<uint32_t>(noc_address >> (kNocLocalBits + kNocNodeBits) & 63u);
    const int32_t node = node_of_[y * 64 + x];
    Place place;
    if (node < 0) {
        unknown_nodes++;
        return place;
    }
    place.x = nodes_[node].place_x, place.y = nodes_[node].place_y;
    if (nodes_[node].is_dram != 0) {
        place.bank = static_cast<int32_t>(nodes_[node].index);
    } else {
        place.core = core_of_[nodes_[node].index];
    }
    return place;
}

double Machine::packets(uint32_t bytes) const { return std::max(1.0, std::ceil(bytes / k_.packet_bytes)); }

double Machine::bank_time(double interval, double rate, uint32_t bytes) const {
    return dram_factor_ * std::max(interval * packets(bytes), bytes / rate);
}

uint32_t Machine::hops(uint32_t noc, uint32_t from_x, uint32_t from_y, uint32_t to_x, uint32_t to_y) const {
    if (noc == 1) {
        std::swap(from_x, to_x), std::swap(from_y, to_y);
    }
    return (to_x + columns_ - from_x) % columns_ + (to_y + rows_ - from_y) % rows_;
}

double Machine::travel(
    uint32_t noc, uint32_t from_x, uint32_t from_y, uint32_t to_x, uint32_t to_y, uint32_t bytes, double time) {
    const double share = bytes / k_.link_rate;
    uint32_t x = from_x, y = from_y;
    const auto along = [&](uint32_t direction) {
        time += k_.hop_latency;
        Capacity& link = links_[noc][(y * columns_ + x) * 2 + direction];
        time = std::max(time, link.take(time, share) - share);
        if (direction == 0) {
            x = (noc == 0 ? x + 1 : x + columns_ - 1) % columns_;
        } else {
            y = (noc == 0 ? y + 1 : y + rows_ - 1) % rows_;
        }
    };
    for (const uint32_t direction : {noc, 1 - noc}) {
        while (direction == 0 ? x != to_x : y != to_y) {
            along(direction);
        }
    }
    return time + share;
}

double Machine::read_issue(const Place& from, uint32_t bytes) const {
    return (from.bank >= 0 ? k_.issue_dram_read : k_.issue_l1_read) + (packets(bytes) - 1) * k_.issue_packet;
}

double Machine::write_issue(const Place& to, uint32_t bytes) const {
    return (to.bank >= 0 ? k_.issue_dram_write : k_.issue_l1_write) + (packets(bytes) - 1) * k_.issue_packet;
}

double Machine::read(uint32_t core, uint32_t noc, const Place& from, uint32_t bytes, double time) {
    Port& own = ports_[core];
    const double moving = bytes / k_.port_rate;
    const double request = time + k_.hop_latency * hops(noc, own.x, own.y, from.x, from.y);
    double leaves;  // when the first of the data do
    if (from.bank >= 0) {
        const double service = bank_time(k_.bank_read_interval, k_.bank_read_rate, bytes);
        const double served = banks_[from.bank].take(request + k_.dram_read_latency * kBeforeBank, service);
        leaves = served - moving + k_.dram_read_latency * (1 - kBeforeBank);
        dram_read_bytes += bytes;
        bank_busy += service;
    } else {
        leaves = request + k_.l1_latency;
        if (from.core >= 0) {
            double& out = ports_[from.core].out[noc];
            leaves = std::max(leaves, out);
            out = leaves + moving;
        }
        noc_bytes += bytes;
    }
    const double arrived = travel(noc, from.x, from.y, own.x, own.y, bytes, leaves);
    own.in[noc] = std::max(arrived, own.in[noc] + moving);
    return own.in[noc];
}

Written Machine::write(uint32_t core, uint32_t noc, const Place& to, uint32_t bytes, double time) {
    Port& own = ports_[core];
    const double moving = bytes / k_.port_rate;
    const double leaves = std::max(time, own.out[noc]);
    const double sent = leaves + moving;
    own.out[noc] = sent;
    const double answer = k_.hop_latency * hops(noc, to.x, to.y, own.x, own.y);
    const double reaches = std::max(sent, travel(noc, own.x, own.y, to.x, to.y, bytes, leaves));
    if (to.bank >= 0) {
        const double service = bank_time(k_.bank_write_interval, k_.bank_write_rate, bytes);
        const double begin = reaches + k_.dram_write_latency * kBeforeBank - moving;
        const double served = std::max(begin + moving, banks_[to.bank].take(begin, service));
        dram_write_bytes += bytes;
        bank_busy += service;
        return {sent, served, served + k_.dram_write_latency * (1 - kBeforeBank) + answer};
    }
    double arrived = reaches + k_.l1_latency / 2;
    if (to.core >= 0) {
        double& in = ports_[to.core].in[noc];
        arrived = std::max(arrived, in + moving);
        in = arrived;
    }
    noc_bytes += bytes;
    return {sent, arrived, arrived + k_.l1_latency / 2 + answer};
}

Written Machine::multicast(uint32_t core, uint32_t noc, uint32_t bytes, double time) {
    double& out = ports_[core].out[noc];
    const double sent = std::max(time, out) + bytes / k_.multicast_rate + k_.multicast_overhead;
    out = sent;
    noc_bytes += bytes;
    return {sent, sent + k_.multicast_latency, sent + 2 * k_.multicast_latency};
}

}  // namespace tw::replay
