// SPDX-License-Identifier: Apache-2.0
#include "check/memory/stale_lines.h"

namespace tw {

bool StaleLines::load(uint32_t address) {
    address &= ~(kLineBytes - 1);
    for (Line& line : lines_) {
        if (line.address == address) {
            const bool was_stale = line.is_stale;
            line.is_stale = false;  // reported once
            return was_stale;
        }
    }
    lines_[next_] = {address, false};
    next_ = (next_ + 1) % kLines;
    return false;
}

void StaleLines::written(uint32_t address, uint32_t bytes) {
    for (Line& line : lines_) {
        if (line.address != 0 && line.address + kLineBytes > address && line.address < address + bytes) {
            line.is_stale = true;
        }
    }
}

void StaleLines::invalidate() {
    for (Line& line : lines_) {
        line = Line{};
    }
}

}  // namespace tw
