// SPDX-License-Identifier: Apache-2.0
// A read: the request travels, the bank (or the other core's port) serves it, the data travel back and enter the core
// through its port. A write: the data leave through the core's port, travel, are served, and the acknowledgement
// travels back. A bank needs time for the bytes, and at least its shortest interval for each packet.
//
// Both NoCs are unidirectional rings: NoC 0 goes right, then down, NoC 1 up, then left. So a round trip goes once
// around wherever the two ends are, unless they share a column or row. Data occupy each link on their path; requests
// and acknowledgements are small and occupy none.
#include "machine.h"

#include <cmath>

#include "abi/noc.h"

namespace tw::replay {

// Most of the latency of a DRAM access lies behind the bank.
static constexpr double kBeforeBank = 0.3;
static constexpr uint32_t kPlaces = 64 * 64;
static constexpr uint32_t kLinksPerRouter = 4;  // two of each NoC
// For this time after one core has used a link, another one shares it, and a write after a read makes a bank turn
// around. Cores are simulated in windows of a quarter of this.
static constexpr int32_t kLately = 1024;

Machine::Machine(const ReplayInput& input) :
    k_(*reinterpret_cast<const Constants*>(input.constants)),
    dram_factor_(input.change.dram_factor),
    node_of_(kPlaces, -1),
    nodes_(input.nodes, input.nodes + input.num_nodes),
    core_of_(1u << 16, -1),
    columns_(input.noc_columns),
    rows_(input.noc_rows),
    hop_(ticks(k_.hop_latency)),
    bank_uses_(input.num_banks),
    banks_(input.num_banks),
    link_users_(static_cast<size_t>(kLinksPerRouter) * columns_ * rows_),
    links_(kLinksPerRouter * columns_ * rows_) {
    for (size_t node = 0; node < nodes_.size(); node++) {
        node_of_[(nodes_[node].noc_y & 63u) * 64 + (nodes_[node].noc_x & 63u)] = static_cast<int32_t>(node);
    }
}

uint32_t Machine::add_core(uint32_t x, uint32_t y) {
    int32_t& number = core_of_[x | y << 8];
    if (number < 0) {
        number = static_cast<int32_t>(ports_.size());
        Port port;
        for (const ReplayNode& node : nodes_) {
            if (node.is_dram == 0 && node.index == (x | y << 8)) {
                port.spot = {node.place_x[0], node.place_y[0]};
            }
        }
        ports_.push_back(port);
    }
    return static_cast<uint32_t>(number);
}

Place Machine::place(uint64_t noc_address, uint32_t noc) {
    const auto x = static_cast<uint32_t>(noc_address >> kNocLocalBits & 63u);
    const auto y = static_cast<uint32_t>(noc_address >> (kNocLocalBits + kNocNodeBits) & 63u);
    const int32_t node = node_of_[y * 64 + x];
    Place place;
    if (node < 0) {
        unknown_nodes++;
        return place;
    }
    place.spot = {nodes_[node].place_x[noc], nodes_[node].place_y[noc]};
    if (nodes_[node].is_dram != 0) {
        place.bank = static_cast<int32_t>(nodes_[node].index);
    } else {
        place.core = core_of_[nodes_[node].index];
    }
    return place;
}

Machine::Size Machine::size_of(uint32_t bytes) const {
    const double packets = std::max(1.0, std::ceil(bytes / k_.packet_bytes));
    return {bytes, packets, bytes / k_.port_rate, (bytes + packets * k_.packet_head) / k_.link_rate};
}

bool BankUses::turns(Direction direction, double time) {
    const auto one = static_cast<uint32_t>(direction);
    last_[one] = time;
    return std::abs(time - last_[1 - one]) < kLately;
}

double Machine::bank_time(uint32_t bank, Direction direction, const Size& size, double time) {
    const bool is_read = direction == Direction::Read;
    const double rate = is_read ? k_.bank_read_rate : k_.bank_write_rate;
    const double least = size.packets * (is_read ? k_.bank_read_interval : k_.bank_write_interval);
    const double moving =
        size.bytes / (bank_uses_[bank].turns(direction, time) ? rate * k_.bank_mixed_efficiency : rate);
    return dram_factor_ * std::max(least, moving);
}

inline bool LinkUsers::shares(uint32_t core, Ticks time) {
    constexpr Ticks lately = Ticks{kLately} << kTickBits;
    before_ = last_core_ != core ? last_ : before_;
    last_core_ = core;
    last_ = time;
    return static_cast<uint64_t>(time - before_ + lately - 1) < 2 * lately - 1;
}

uint32_t Machine::hops(uint32_t noc, const Spot& from, const Spot& to) const {
    const Spot &first = noc == 1 ? to : from, &last = noc == 1 ? from : to;
    const auto along = [](uint32_t begin, uint32_t end, uint32_t count) {
        return end - begin + (end < begin ? count : 0);
    };
    return along(first.x, last.x, columns_) + along(first.y, last.y, rows_);
}

// When the first of the data has passed this many links.
inline Ticks Machine::pass(uint32_t link, uint32_t stride, uint32_t count, const Load& load, Ticks time) {
    const Load mine = load;
    const Ticks hop = hop_;
    for (; count > 0; count--, link += stride) {
        time += hop;
        const Ticks taken = link_users_[link].shares(mine.core, time) ? mine.shared : mine.alone;
        time += links_.delay(link, time, taken);
    }
    return time;
}

// Along a row or column, which is a ring.
inline Ticks Machine::pass(const Line& line, uint32_t from, uint32_t to, const Load& load, Ticks time) {
    const uint32_t start = line.is_forward ? 0 : line.count - 1;
    const uint32_t stride = line.is_forward ? line.stride : -line.stride;
    const uint32_t before = line.is_forward ? from : start - from, goal = line.is_forward ? to : start - to;
    const auto link = [&](uint32_t at) { return line.first + at * line.stride; };
    if (before <= goal) {
        return pass(link(from), stride, goal - before, load, time);
    }
    time = pass(link(from), stride, line.count - before, load, time);
    return pass(link(start), stride, goal, load, time);
}

double Machine::travel(uint32_t noc, const Spot& from, const Spot& to, const Load& load, double time) {
    const uint32_t links = noc * 2 * columns_ * rows_;
    const auto row = [&](uint32_t y) { return Line{links + y * 2 * columns_, 2, columns_, noc == 0}; };
    const auto column = [&](uint32_t x) { return Line{links + 2 * x + 1, 2 * columns_, rows_, noc == 0}; };
    Ticks now = ticks(time);
    if (noc == 0) {
        now = pass(row(from.y), from.x, to.x, load, now);
        now = pass(column(to.x), from.y, to.y, load, now);
    } else {
        now = pass(column(from.x), from.y, to.y, load, now);
        now = pass(row(to.y), from.x, to.x, load, now);
    }
    return cycles(now + load.alone);
}

// When a bank has completed a request of `service` cycles that arrives at `time`.
double Machine::bank_served(uint32_t bank, double time, double service) {
    return time + service + cycles(banks_.delay(bank, ticks(time), ticks(service)));
}

// Reads of another core's L1 have a minimum interval, however little the processor has to do: the next address is
// computed meanwhile.
double Machine::read_issue(uint32_t core, const Place& from, uint32_t bytes, bool with_state, double address) {
    const bool is_own = from.core >= 0 && static_cast<uint32_t>(from.core) == core;
    const double own = (with_state ? k_.issue_own_l1_read_with_state : k_.issue_own_l1_read) + address;
    const double pace = with_state ? k_.issue_l1_read_with_state : k_.issue_l1_read;
    const double l1 = is_own ? own : std::max(own, pace);
    return (from.bank >= 0 ? k_.issue_dram_read + address : l1) + (size(bytes).packets - 1) * k_.issue_packet;
}

double Machine::write_issue(const Place& to, uint32_t bytes, bool with_state) {
    const double l1 = with_state ? k_.issue_l1_write_with_state : k_.issue_l1_write;
    return (to.bank >= 0 ? k_.issue_dram_write : l1) + (size(bytes).packets - 1) * k_.issue_packet;
}

double Machine::read(uint32_t core, uint32_t noc, const Place& from, uint32_t bytes, double time) {
    Port& own = ports_[core];
    const Size& sized = size(bytes);
    const double moving = sized.moving;
    const double request = time + k_.hop_latency * hops(noc, own.spot, from.spot);
    double leaves;  // when the first of the data leave
    if (from.bank >= 0) {
        const auto bank = static_cast<uint32_t>(from.bank);
        const double begin = request + k_.dram_read_latency * kBeforeBank;
        const double service = bank_time(bank, Direction::Read, sized, begin);
        const double served = bank_served(bank, begin, service);
        leaves = std::max(request, served - moving + k_.dram_read_latency * (1 - kBeforeBank));
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
    const Load data{core, ticks(sized.share), ticks(sized.share / k_.link_read_efficiency)};
    const double arrived = travel(noc, from.spot, own.spot, data, leaves);
    own.in[noc] = std::max(arrived, own.in[noc] + moving);
    return own.in[noc];
}

Written Machine::write(uint32_t core, uint32_t noc, const Place& to, uint32_t bytes, double time) {
    Port& own = ports_[core];
    const Size& sized = size(bytes);
    const double moving = sized.moving;
    const double leaves = std::max(time, own.out[noc]);
    const double sent = leaves + moving;
    own.out[noc] = sent;
    const double answer = k_.hop_latency * hops(noc, to.spot, own.spot);
    const Load data{core, ticks(sized.share), ticks(sized.share / k_.link_write_efficiency)};
    const double reaches = std::max(sent, travel(noc, own.spot, to.spot, data, leaves));
    if (to.bank >= 0) {
        const auto bank = static_cast<uint32_t>(to.bank);
        const double begin = reaches + k_.dram_write_latency * kBeforeBank - moving;
        const double service = bank_time(bank, Direction::Write, sized, begin);
        const double served = std::max(begin + moving, bank_served(bank, begin, service));
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
