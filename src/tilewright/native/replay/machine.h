// SPDX-License-Identifier: Apache-2.0
// What the cores share: the NoC and the DRAM banks.
#pragma once

#include <cstdint>
#include <vector>

#include "api.h"
#include "capacity.h"

namespace tw::replay {

inline constexpr double kLongAgo = 1e15;  // cycles
// Bins of 32 and 128 cycles, as powers of two. There are hundreds of links, each keeps its bins for the whole launch.
inline constexpr uint32_t kBankBinBits = 5, kLinkBinBits = 7;

// Of the die.
struct Spot {
    uint32_t x = 0, y = 0;
};

// Where a transfer goes.
struct Place {
    int32_t bank = -1;  // of DRAM
    int32_t core = -1;  // number among the cores of the record; -1: one without kernels, or nothing known
    Spot spot;
};

// When a write has left the core, has arrived, and is known to have.
struct Written {
    double sent, arrived, acknowledged;
};

// How long one transfer of a core takes of each link, alone or shared with other cores.
struct Load {
    uint32_t core;
    Ticks alone, shared;
};

// The links of a row or a column, in the direction of their NoC.
struct Line {
    uint32_t first, stride, count;
    bool is_forward;
};

// Who uses a link from one router to the next.
class LinkUsers {
public:
    // Has another core used it lately? Notes that `core` does.
    bool shares(uint32_t core, Ticks time);

private:
    static constexpr Ticks kNever = INT64_MIN / 2;
    uint32_t last_core_ = UINT32_MAX;
    Ticks last_ = kNever, before_ = kNever;  // when its last user used it, and the one before that
};

enum class Direction : uint32_t { Read, Write };

// What a bank has been asked for.
class BankUses {
public:
    // Has it done the other thing lately? Notes that it does this one.
    bool turns(Direction direction, double time);

private:
    double last_[2] = {-kLongAgo, -kLongAgo};
};

class Machine {
public:
    explicit Machine(const TwReplayInput& input);

    // Cores of the record by their logical place, told before the first transfer; gives the core's number.
    uint32_t add_core(uint32_t x, uint32_t y);

    Place place(uint64_t noc_address, uint32_t noc);
    // Calls action(core) for each core of the record in a multicast's rectangle.
    template <typename Action>
    void for_each_in_rectangle(uint64_t noc_address, Action action) const;

    // With what it takes to make the address.
    double read_issue(uint32_t core, const Place& from, uint32_t bytes, bool with_state, double address);
    double write_issue(const Place& to, uint32_t bytes, bool with_state);
    // The issuing call ends at `time`; when has it all arrived?
    double read(uint32_t core, uint32_t noc, const Place& from, uint32_t bytes, double time);
    Written write(uint32_t core, uint32_t noc, const Place& to, uint32_t bytes, double time);
    Written multicast(uint32_t core, uint32_t noc, uint32_t bytes, double time);

    double dram_read_bytes = 0, dram_write_bytes = 0, noc_bytes = 0, bank_busy = 0;
    uint64_t unknown_nodes = 0;

private:
    struct Port {
        double in[2] = {0, 0}, out[2] = {0, 0};  // busy until, per NoC
        Spot spot;
    };

    // What follows from the size of a transfer. Most have the size of the one before.
    struct Size {
        uint32_t bytes = UINT32_MAX;
        double packets, moving, share;  // moving: cycles at a port; share: of each link
    };

    const Size& size(uint32_t bytes) {
        if (bytes != size_.bytes) {
            size_ = size_of(bytes);
        }
        return size_;
    }
    Size size_of(uint32_t bytes) const;
    double bank_time(uint32_t bank, Direction direction, const Size& size, double time);
    uint32_t hops(uint32_t noc, const Spot& from, const Spot& to) const;
    Ticks pass(const Line& line, uint32_t from, uint32_t to, const Load& load, Ticks time);
    Ticks pass(uint32_t link, uint32_t stride, uint32_t count, const Load& load, Ticks time);
    // Data of a core on their way: when the last of them arrives, given when the first leaves.
    double travel(uint32_t noc, const Spot& from, const Spot& to, const Load& load, double time);
    double bank_served(uint32_t bank, double time, double service);

    const Constants& k_;
    const double dram_factor_;
    Size size_;
    std::vector<int32_t> node_of_;  // by NoC coordinates: index into nodes_
    std::vector<TwReplayNode> nodes_;
    std::vector<int32_t> core_of_;  // by logical place
    std::vector<Port> ports_;
    const uint32_t columns_, rows_;
    const Ticks hop_;
    std::vector<BankUses> bank_uses_;
    Capacities<kBankBinBits> banks_;
    // Of NoC 0, then of NoC 1: at each router one along the row, one along the column.
    std::vector<LinkUsers> link_users_;
    Capacities<kLinkBinBits> links_;
};

template <typename Action>
void Machine::for_each_in_rectangle(uint64_t noc_address, Action action) const {
    const auto part = [&](uint32_t shift) { return static_cast<uint32_t>(noc_address >> shift & 63u); };
    const uint32_t x0 = std::min(part(36), part(48)), x1 = std::max(part(36), part(48));
    const uint32_t y0 = std::min(part(42), part(54)), y1 = std::max(part(42), part(54));
    for (uint32_t y = y0; y <= y1; y++) {
        for (uint32_t x = x0; x <= x1; x++) {
            const int32_t node = node_of_[y * 64 + x];
            if (node >= 0 && nodes_[node].is_dram == 0 && core_of_[nodes_[node].index] >= 0) {
                action(static_cast<uint32_t>(core_of_[nodes_[node].index]));
            }
        }
    }
}

}  // namespace tw::replay
