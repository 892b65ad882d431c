// SPDX-License-Identifier: Apache-2.0
#include "lazy_poison.h"

#include <bit>
#include <mutex>

namespace tw {

void LazyPoison::fill(uint64_t offset, uint64_t bytes, uint32_t word) {
    const uint64_t end = offset + bytes;
    const uint64_t first = std::min(lines_to(offset) * kLine, end), last = std::max(first, end / kLine * kLine);
    auto fill_now = [&](uint64_t from, uint64_t to) {
        std::fill_n(reinterpret_cast<uint32_t*>(memory_ + from), (to - from) / sizeof(uint32_t), word);
    };
    before_overwrite(offset, bytes);
    fill_now(offset, first);
    for_each_group(first / kLine, last / kLine, [&](Group& group, uint64_t first_line, uint64_t lines) {
        if (group.word != word && group.owed != 0) {  // of a tensor beside this one
            pay(group, first_line, group.owed);
        }
        group.word = word;
        group.owed |= lines;
    });
    fill_now(last, end);
    end_ = std::max(end_, last);
}

void LazyPoison::pay(Group& group, uint64_t first, uint64_t lines) {
    static std::mutex paying;  // whoever finds a line settled finds it filled
    const std::lock_guard<std::mutex> lock(paying);
    for (uint64_t due = group.owed & lines; due != 0; due &= due - 1) {
        const uint64_t line = first + static_cast<uint64_t>(std::countr_zero(due));
        std::fill_n(reinterpret_cast<uint32_t*>(memory_ + line * kLine), kLine / sizeof(uint32_t), group.word);
    }
    settled(group, lines);
}

void LazyPoison::settle_all() {
    settle(0, lines_to(end_));
    end_ = 0;
}

}  // namespace tw
