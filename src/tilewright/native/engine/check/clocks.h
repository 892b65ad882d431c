// SPDX-License-Identifier: Apache-2.0
// Who knows what of whom: a vector clock per kernel. A kernel learns what another had done when it waits for something
// the other signalled: a semaphore, or credits of a circular buffer. What no such chain orders may happen either way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tw {

class Clocks {
public:
    // What signals carry: for each kernel, how far it had come. Empty: nothing yet.
    using Clock = std::vector<uint32_t>;

    void start(size_t kernels) {
        kernels_ = kernels;
        known_.assign(kernels * kernels, 0);
        for (size_t kernel = 0; kernel < kernels; kernel++) {
            known_[kernel * kernels + kernel] = 1;
        }
    }
    bool running() const { return kernels_ != 0; }

    uint32_t now(uint32_t kernel) const { return knows(kernel, kernel); }
    // How far `kernel` knows `other` to have come.
    uint32_t knows(uint32_t kernel, uint32_t other) const {
        return kernels_ == 0 ? 0 : known_[kernel * kernels_ + other];
    }
    void tick(uint32_t kernel) { known_[kernel * kernels_ + kernel]++; }

    // `kernel` signals: whoever waits for `signal` knows all it knows now.
    void release(uint32_t kernel, Clock& signal) {
        signal.resize(kernels_);
        const uint32_t* mine = &known_[kernel * kernels_];
        for (size_t other = 0; other < kernels_; other++) {
            signal[other] = signal[other] > mine[other] ? signal[other] : mine[other];
        }
        tick(kernel);
    }
    void acquire(uint32_t kernel, const Clock& signal) {
        uint32_t* mine = &known_[kernel * kernels_];
        for (size_t other = 0; other < signal.size(); other++) {
            mine[other] = signal[other] > mine[other] ? signal[other] : mine[other];
        }
    }

private:
    size_t kernels_ = 0;
    std::vector<uint32_t> known_;  // kernel by kernel
};

}  // namespace tw
