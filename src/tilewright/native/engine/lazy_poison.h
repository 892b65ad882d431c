// SPDX-License-Identifier: Apache-2.0
// Poison of one DRAM bank that is written only where somebody looks.
//
// A new tensor is poisoned whole, and most programs write all of their result: filling it first would be as much memory
// traffic as the result itself. So a fill is noted, with a bit for every line of 64 bytes. A line that is overwritten
// whole never gets its poison; one that is read, or written in part, gets it first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tw {

class LazyPoison {
public:
    // The lines of one stretch of memory; all that are owed get the same word.
    struct Group {
        std::atomic<uint64_t> owed;  // a bit for each line
        uint32_t word;
    };
    static uint64_t groups_of(uint64_t bytes) { return bytes / (kLine * kGroupLines) + 1; }

    // groups: zeros, of which every `stride`th is this bank's: tensors go round the banks, and so does who looks here.
    LazyPoison(uint8_t* memory, Group* groups, uint32_t stride) : memory_(memory), groups_(groups), stride_(stride) {}

    void fill(uint64_t offset, uint64_t bytes, uint32_t word);
    // Before the bytes are read, or some of them written.
    void before_access(uint64_t offset, uint64_t bytes) {
        if (offset < end_) {
            settle(offset / kLine, lines_to(offset + bytes));
        }
    }
    // Before all of the bytes are written.
    void before_overwrite(uint64_t offset, uint64_t bytes) {
        if (offset >= end_) {
            return;
        }
        const uint64_t first = offset / kLine, last = (offset + bytes) / kLine;
        if (first * kLine != offset) {
            settle(first, first + 1);
        }
        if (last * kLine != offset + bytes) {
            settle(last, last + 1);
        }
        for_each_group(lines_to(offset), last, [](Group& group, uint64_t, uint64_t lines) { settled(group, lines); });
    }
    // Whether threads reach banks at the same time: of one stretch of memory, even of one line. Set for a run.
    static inline bool several_threads = false;
    // Everything still owed, for those that reach memory some other way.
    void settle_all();

private:
    static constexpr uint64_t kLine = 64;
    static constexpr uint64_t kGroupLines = 64;

    static uint64_t lines_to(uint64_t offset) { return (offset + kLine - 1) / kLine; }
    // action(group, its first line, bits of those among [begin, end))
    template <typename Action>
    void for_each_group(uint64_t begin, uint64_t end, Action action) {
        while (begin < end) {
            const uint64_t index = begin / kGroupLines, first = index * kGroupLines;
            const uint64_t stop = std::min(end, first + kGroupLines);
            const uint64_t lines = (~uint64_t{0} >> (kGroupLines - (stop - begin))) << (begin - first);
            action(groups_[index * stride_], first, lines);
            begin = stop;
        }
    }
    void settle(uint64_t begin, uint64_t end) {
        for_each_group(begin, end, [this](Group& group, uint64_t first, uint64_t lines) {
            if ((group.owed.load(std::memory_order_acquire) & lines) != 0) [[unlikely]] {
                pay(group, first, lines);
            }
        });
    }
    void pay(Group& group, uint64_t first, uint64_t lines);
    static void settled(Group& group, uint64_t lines) {
        if (several_threads) {
            group.owed.fetch_and(~lines, std::memory_order_release);
        } else {
            group.owed.store(group.owed.load(std::memory_order_relaxed) & ~lines, std::memory_order_relaxed);
        }
    }

    uint8_t* memory_;
    Group* groups_;
    uint32_t stride_;
    uint64_t end_ = 0;  // nothing is owed from this offset on
};

}  // namespace tw
