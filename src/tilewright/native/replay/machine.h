// SPDX-License-Identifier: Apache-2.0
// Resources shared by the cores: the NoC and the DRAM banks.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity.h"
#include "constants.h"
#include "wire/replay.h"

namespace tw::replay {

using namespace wire;

inline constexpr double kLongAgo = 1e15;  // cycles
// Bins of 32 and 128 cycles, as powers of two. There are hundreds of links, and each keeps its bins for the whole
// launch.
inline constexpr uint32_t kBankBinBits = 5, kLinkBinBits = 7;

// A position on the die.
struct Spot {
    uint32_t x = 0, y = 0;
};

// The target of a transfer.
struct Place {
    int32_t bank = -1;  // of DRAM
    int32_t core = -1;  // number among the cores of the record; -1: one without kernels, or nothing known
    Spot spot;
};

// When a write has left the core, has arrived, and is acknowledged.
struct Written {
    double sent, arrived, acknowledged;
};

// Time that one transfer of a core takes on each link, alone or shared with other cores.
struct Load {
    uint32_t core;
    Ticks alone, shared;
};

// The links of a row or a column, in the direction of their NoC.
struct Line {
    uint32_t first, stride, count;
    bool is_forward;
};

// Users of a link from one router to the next.
class LinkUsers {
public:
    // Whether another core used it recently. Notes the use by `core`.
    bool shares(uint32_t core, Ticks time);

private:
    static constexpr Ticks kNever = INT64_MIN / 2;
    uint32_t last_core_ = UINT32_MAX;
    Ticks last_ = kNever, before_ = kNever;  // when its last user used it, and the one before that
};

enum class Direction : uint32_t { Read, Write };

// Directions in which a bank was used.
class BankUses {
public:
    // Whether it recently transferred in the other direction. Notes this one.
    bool turns(Direction direction, double time);

private:
    double last_[2] = {-kLongAgo, -kLongAgo};
};

class Machine {
public:
    explicit Machine(const ReplayInput& input);

    // Adds a core of the record by its logical position, before the first transfer; returns its number.
    uint32_t add_core(uint32_t x, uint32_t y);

    Place place(uint64_t noc_address, uint32_t noc);
    // Calls action(core) for each core of the record in a multicast's rectangle.
    template <typename Action>
    void for_each_in_rectangle(uint64_t noc_address, Action action) const;

    // Includes computing the address.
    double read_issue(uint32_t core, const Place& from, uint32_t bytes, bool with_state, double address);
    double write_issue(const Place& to, uint32_t bytes, bool with_state);
    // When all data has arrived, of a call that ends at `time`.
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

    // Values derived from the size of a transfer. Most transfers have the size of the one before.
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
    // When the last of a core's data arrives, given when the first leaves.
    double travel(uint32_t noc, const Spot& from, const Spot& to, const Load& load, double time);
    double bank_served(uint32_t bank, double time, double service);

    const Constants& k_;
    const double dram_factor_;
    Size size_;
    std::vector<int32_t> node_of_;  // by NoC coordinates: index into nodes_
    std::vector<ReplayNode> nodes_;
    std::vector<int32_t> core_of_;  // by logical place
    std::vector<Port> ports_;
    const uint32_t columns_, rows_;
    const Ticks hop_;
    std::vector<BankUses> bank_uses_;
    Capacities<kBankBinBits> banks_;
    // Of NoC 0, then of NoC 1: at each router one link along the row, one along the column.
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
