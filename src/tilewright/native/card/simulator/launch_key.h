// SPDX-License-Identifier: Apache-2.0
// The key of a program: a hash of all bytes in L1 that decide what its cores run. These are the launch messages, the
// circular buffers, semaphores and tables that the host configured, and the kernels' texts. Values of arguments do not
// count, nor does the place of the configuration, which moves through a ring under fast dispatch: the same program has
// the same key wherever it lies.
#pragma once

#include <cstdint>
#include <vector>

#include "fast_dispatch/workers.h"
#include "memory.h"
#include "wire/card.h"

namespace card {

class LaunchKey {
public:
    // Adds a core; sets its launch address, if it is 0, and its configuration.
    void add(const Memory& memory, const LaunchLayout& layout, LaunchedCore& core);
    LaunchRequest request() const;

private:
    // Two chains of multiplications over the same words, 128 bits together.
    class Digest {
    public:
        void add(const uint8_t* data, uint64_t bytes);
        uint64_t low() const { return low_; }
        uint64_t high() const { return high_; }

    private:
        void mix(uint64_t one, uint64_t other);

        uint64_t low_ = 0x243f6a8885a308d3, high_ = 0x13198a2e03707344;  // digits of pi
    };

    void add_texts(const Memory& memory, const LaunchLayout& layout, const LaunchedCore& core, const uint8_t* message);

    Digest digest_;
    bool is_first_ = true, bases_differ_ = false;
    uint32_t config_base_ = 0;  // of the first core
};

}  // namespace card
