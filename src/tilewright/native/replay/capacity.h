// SPDX-License-Identifier: Apache-2.0
// Things that are shared and can each do so much in each bin of time: DRAM banks, links.
//
// Requests do not come in the order of their time, as cores are followed one after another for a while. Who comes first
// must not hold up who was earlier: so there is no queue, but room left in every bin, and a request takes what is left
// from its own time on.
//
// Requests that follow each other are close in time and go to many of the things, so what belongs to one time lies
// together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace tw::replay {

class Capacities {
public:
    // `bin_cycles` is a power of two.
    Capacities(uint32_t count, double bin_cycles) :
        count_(count), bin_cycles_(bin_cycles), bins_per_cycle_(1 / bin_cycles), full_(bin_cycles - kNothing) {}

    // The bin of a time and the one behind it, of all things: who takes of one after another moves it seldom.
    class Place {
        friend Capacities;
        double begin = 0, end = 0;  // of the bin
        uint32_t bin = 0;
        float *used = nullptr, *next_used = nullptr;
        uint64_t *full = nullptr, *next_full = nullptr;
    };

    // Takes `amount` cycles of one of them from `time` on; returns when the last of it is done.
    double take(uint32_t which, double time, double amount, Place& place) {
        if (time < place.begin || time >= place.end) [[unlikely]] {
            place = place_of(static_cast<uint32_t>(time * bins_per_cycle_));
        }
        float &own = place.used[which], &next = place.next_used[which];
        const double now = std::min({amount, bin_cycles_ - own, place.end - time});
        const double rest = amount - now;
        // Most often this bin and the next are enough. Which of them is used cannot be foreseen: both are.
        if (own >= full_ || amount <= kNothing || rest > bin_cycles_ - next || (rest > 0 && rest <= kNothing))
            [[unlikely]] {
            return take_in_parts(which, place.bin, time, amount);
        }
        own += static_cast<float>(now);
        next += static_cast<float>(rest);
        place.full[which] |= static_cast<uint64_t>(own >= full_) << place.bin % kTogether;
        place.next_full[which] |= static_cast<uint64_t>(next >= full_) << (place.bin + 1) % kTogether;
        const double end = time + amount, done = rest > 0 ? place.end + next : place.begin + own;
        if (done > end) {
            return done;
        }
        return end;
    }
    double take(uint32_t which, double time, double amount) {
        Place place;
        return take(which, time, amount, place);
    }

private:
    static constexpr double kNothing = 1e-3;
    static constexpr uint32_t kTogether = 64;

    // Some bins of all of them.
    struct Stretch {
        std::unique_ptr<float[]> used;  // cycles, by bin and which
        std::unique_ptr<uint64_t[]> full;  // a bit for each bin, by which
    };

    Place place_of(uint32_t bin) {
        Place place;
        place.begin = bin * bin_cycles_;
        place.end = place.begin + bin_cycles_;
        place.bin = bin;
        place.used = &used(bin, 0);
        place.full = stretch(bin).full.get();
        place.next_used = &used(bin + 1, 0);
        place.next_full = stretch(bin + 1).full.get();
        return place;
    }

    __attribute__((noinline)) double take_in_parts(uint32_t which, uint32_t bin, double time, double amount) {
        double end = time + amount;
        while (amount > kNothing) {
            Stretch& bins = stretch(bin);
            uint64_t& full = bins.full[which];
            // The first that is not full.
            const uint32_t from = bin % kTogether;
            const uint32_t at = from + static_cast<uint32_t>(std::countr_zero(~(full >> from)));
            if (at >= kTogether) {
                bin += kTogether - from;
                continue;
            }
            bin += at - from;
            float& own = bins.used[at * count_ + which];
            const double begin = bin * bin_cycles_;
            const double room = std::min(bin_cycles_ - own, begin + bin_cycles_ - std::max(time, begin));
            const double now = std::min(room, amount);
            own += static_cast<float>(now);
            full |= static_cast<uint64_t>(own >= full_) << at;
            amount -= now;
            end = std::max(end, begin + own);
            bin++;
        }
        return end;
    }

    float& used(uint32_t bin, uint32_t which) { return stretch(bin).used[(bin % kTogether) * count_ + which]; }

    Stretch& stretch(uint32_t bin) {
        const uint32_t number = bin / kTogether;
        if (number >= stretches_.size()) [[unlikely]] {
            grow(number + 1);
        }
        return stretches_[number];
    }
    __attribute__((noinline)) void grow(uint32_t count) {
        while (stretches_.size() < count) {
            const size_t bins = static_cast<size_t>(kTogether) * count_;
            stretches_.push_back({std::make_unique<float[]>(bins), std::make_unique<uint64_t[]>(count_)});
        }
    }

    const uint32_t count_;
    const double bin_cycles_, bins_per_cycle_, full_;
    std::vector<Stretch> stretches_;
};

}  // namespace tw::replay
