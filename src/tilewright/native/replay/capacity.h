// SPDX-License-Identifier: Apache-2.0
// Something shared that can do so much in each bin of time: a DRAM bank, a link.
//
// Requests do not come in the order of their time, as cores are followed one after another for a while. Who comes first
// must not hold up who was earlier: so there is no queue, but room left in every bin, and a request takes what is left
// from its own time on. Bins that are full are skipped by pointers that grow shorter with use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tw::replay {

class Capacity {
public:
    explicit Capacity(double bin_cycles) : bin_cycles_(bin_cycles) {}

    // Takes `amount` cycles from `time` on; returns when the last of it is done.
    double take(double time, double amount) {
        auto bin = static_cast<uint32_t>(time / bin_cycles_);
        double end = time + amount;
        while (amount > kNothing) {
            bin = open_bin(bin);
            const double begin = std::max(time, bin * bin_cycles_);
            const double room = std::min(bin_cycles_ - used_[bin], (bin + 1) * bin_cycles_ - begin);
            const double now = std::min(room, amount);
            used_[bin] += static_cast<float>(now);
            amount -= now;
            end = std::max(end, bin * bin_cycles_ + used_[bin]);
            if (used_[bin] >= bin_cycles_ - kNothing) {
                next_[bin] = bin + 1;
            }
            bin++;
        }
        return end;
    }

private:
    static constexpr double kNothing = 1e-3;

    uint32_t open_bin(uint32_t bin) {
        while (true) {
            if (bin >= next_.size()) {
                grow(bin + 1);
            }
            const uint32_t next = next_[bin];
            if (next == bin) {
                return bin;
            }
            if (next < next_.size()) {
                next_[bin] = next_[next];
            }
            bin = next;
        }
    }
    void grow(size_t size) {
        size_t bin = next_.size();
        next_.resize(std::max(size, 2 * bin + 256));
        used_.resize(next_.size());
        for (; bin < next_.size(); bin++) {
            next_[bin] = static_cast<uint32_t>(bin);
        }
    }

    double bin_cycles_;
    std::vector<float> used_;
    std::vector<uint32_t> next_;
};

}  // namespace tw::replay
