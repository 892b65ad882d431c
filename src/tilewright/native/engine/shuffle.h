// SPDX-License-Identifier: Apache-2.0
// Another order of events: which of the possible ones is decided by a seed, so that it can be had again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tw {

class Shuffle {
public:
    explicit Shuffle(uint32_t seed) : state_(seed == 0 ? 0 : 0x9e3779b97f4a7c15ull * seed) {}

    bool on() const { return state_ != 0; }
    // A number below `bound`.
    uint32_t below(uint32_t bound) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<uint32_t>((state_ >> 32) % bound);
    }
    template <typename T>
    void apply(std::vector<T>& items) {
        for (size_t last = items.size(); last > 1; last--) {
            std::swap(items[last - 1], items[below(static_cast<uint32_t>(last))]);
        }
    }

private:
    uint64_t state_;
};

}  // namespace tw
