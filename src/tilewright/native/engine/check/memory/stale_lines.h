// SPDX-License-Identifier: Apache-2.0
// Blackhole's processors read L1 through a cache of four lines that is not coherent with other writers: a line read
// before must be invalidated before later writes become visible.
#pragma once

#include <cstdint>

namespace tw {

class StaleLines {
public:
    static constexpr uint32_t kLineBytes = 16;

    // A load of the processor. Returns whether the cached line has been overwritten since it was read.
    bool load(uint32_t address);
    // A write by another unit.
    void written(uint32_t address, uint32_t bytes);
    void invalidate();

private:
    static constexpr uint32_t kLines = 4;
    struct Line {
        uint32_t address = 0;  // 0: none
        bool is_stale = false;
    };
    Line lines_[kLines];
    uint32_t next_ = 0;
};

}  // namespace tw
