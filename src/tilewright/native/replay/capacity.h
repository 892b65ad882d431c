// SPDX-License-Identifier: Apache-2.0
// Shared resources with a capacity per bin of time: DRAM banks, links.
//
// Requests do not arrive in the order of their time, because each core is simulated for a while before the next. A
// request must not delay an earlier one that comes later in the simulation. So there is no queue: every bin has free
// capacity, and a request takes what is free from its own time on.
//
// This runs for each link of each transfer, and each result is the time of the next request. So time is counted in
// integer ticks, whose additions take a quarter of the latency of floating-point ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace tw::replay {

using Ticks = int64_t;

inline constexpr uint32_t kTickBits = 8;  // a cycle has 2^8 of them

inline Ticks ticks(double cycles) { return static_cast<Ticks>(cycles * (1 << kTickBits) + 0.5); }
inline double cycles(Ticks ticks) { return static_cast<double>(ticks) * (1.0 / (1 << kTickBits)); }

// `count` resources, with bins of 2^kBinBits cycles (128 at most).
template <uint32_t kBinBits>
class Capacities {
public:
    explicit Capacities(uint32_t count) : count_(count) {}

    // Takes `amount` of one resource from `time` on; returns how much later than time + amount it is complete.
    Ticks delay(uint32_t which, Ticks time, Ticks amount) {
        const auto bin = static_cast<uint32_t>(time >> kBits);
        const uint32_t number = bin % kTogether;
        uint16_t& own = stretch(bin).bins[which].used[number];
        uint16_t& next = *(number + 1 < kTogether ? &own + 1 : &stretch(bin + 1).bins[which].used[0]);
        const Ticks at = time & (kSize - 1);
        const Ticks begin = std::max<Ticks>(own, at);
        const Ticks over = begin + amount - kSize, rest = over & ~(over >> 63);
        // Most often this bin and the next suffice. Which of them is used is unpredictable, so both are computed.
        if (rest + next > kSize) [[unlikely]] {
            return in_parts(which, bin, time, amount);
        }
        const Ticks late = begin - at + (next & -rest >> 63);
        own += static_cast<uint16_t>(amount - rest);
        next += static_cast<uint16_t>(rest);
        return late;
    }

private:
    static constexpr uint32_t kBits = kBinBits + kTickBits, kTogether = 64;
    static constexpr Ticks kSize = 1 << kBits;

    // Consecutive bins of one resource.
    struct alignas(64) Bins {
        uint16_t used[kTogether] = {};  // ticks
    };
    // Consecutive bins of all resources.
    struct Stretch {
        std::unique_ptr<Bins[]> bins;
        std::unique_ptr<uint64_t[]> full;  // a bit for each bin that was found full
    };

    __attribute__((noinline)) Ticks in_parts(uint32_t which, uint32_t bin, Ticks time, Ticks amount) {
        const Ticks end = time + amount;
        Ticks done = end;
        while (amount > 0) {
            Stretch& all = stretch(bin);
            Bins& some = all.bins[which];
            const uint32_t from = bin % kTogether;
            const uint32_t at = from + static_cast<uint32_t>(std::countr_one(all.full[which] >> from));
            bin += at - from;
            if (at >= kTogether) {
                continue;
            }
            const Ticks begin = static_cast<Ticks>(bin++) << kBits;
            const Ticks used = some.used[at];
            const Ticks now = std::min(amount, kSize - std::max(used, time - begin));
            some.used[at] = static_cast<uint16_t>(used + now);
            all.full[which] |= static_cast<uint64_t>(used + now == kSize) << at;
            amount -= now;
            done = begin + used + now;
        }
        return std::max<Ticks>(done - end, 0);
    }

    Stretch& stretch(uint32_t bin) {
        const uint32_t number = bin / kTogether;
        if (number >= stretches_.size()) [[unlikely]] {
            grow(number + 1);
        }
        return stretches_[number];
    }
    __attribute__((noinline)) void grow(uint32_t count) {
        while (stretches_.size() < count) {
            stretches_.push_back({std::make_unique<Bins[]>(count_), std::make_unique<uint64_t[]>(count_)});
        }
    }

    const uint32_t count_;
    std::vector<Stretch> stretches_;  // by time
};

}  // namespace tw::replay
