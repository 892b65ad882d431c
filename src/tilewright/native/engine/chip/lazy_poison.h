// SPDX-License-Identifier: Apache-2.0
// Deferred poison of one DRAM bank.
//
// A new tensor is poisoned whole, and most programs then write all of it: filling it first would double the memory
// traffic. So a fill is only noted, per line of 64 bytes. A line that is overwritten whole never gets its poison; one
// that is read, or written in part, gets it first. A note is a byte: threads write neighbouring lines, and a bit would
// need a locked instruction, which waits for all stores on their way to DRAM.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace tw {

// Header of one bank's notes.
struct PoisonState {
    static constexpr uint32_t kMostWords = 16;
    uint64_t end;  // no poison is deferred from this offset on
    uint32_t words[kMostWords];
    uint32_t num_words;
};

class LazyPoison {
public:
    // Bytes of the notes of a chip's banks, each of `bank_bytes`; initially zeros.
    static uint64_t notes_bytes(uint64_t bank_bytes, uint32_t banks) {
        return (bank_bytes / kLine / kGroup + 1) * kGroup * banks;
    }
    // Notes of the banks are interleaved in groups, as the pages of a tensor are.
    LazyPoison(
        uint8_t* memory, uint64_t bank_bytes, uint8_t* notes, PoisonState& state, uint32_t bank, uint32_t banks) :
        memory_(memory),
        bank_bytes_(bank_bytes),
        notes_(notes + bank * kGroup),
        stride_(banks * kGroup),
        state_(&state) {}

    void fill(uint64_t offset, uint64_t bytes, uint32_t word);
    // Before the bytes are read, or some of them written.
    void before_access(uint64_t offset, uint64_t bytes) {
        if (offset < state_->end) {
            settle(offset / kLine, lines_to(offset + bytes));
        }
    }
    // Before all of the bytes are written.
    void before_overwrite(uint64_t offset, uint64_t bytes) {
        if (offset >= state_->end) {
            return;
        }
        const uint64_t first = offset / kLine, last = (offset + bytes) / kLine;
        if (first * kLine != offset) {
            settle(first, first + 1);
        }
        if (last * kLine != offset + bytes) {
            settle(last, last + 1);
        }
        for_each_run(lines_to(offset), last, [](uint8_t* notes, uint64_t, uint64_t count) { clear(notes, count); });
    }
    // Writes all deferred poison, for readers that bypass this class.
    void settle_all();

private:
    static constexpr uint64_t kLine = 64;
    static constexpr uint64_t kGroup = 64;  // lines whose notes are adjacent

    static uint64_t lines_to(uint64_t offset) { return (offset + kLine - 1) / kLine; }
    // action(notes, first line, count), for runs of lines with adjacent notes
    template <typename Action>
    void for_each_run(uint64_t begin, uint64_t end, Action action) {
        while (begin < end) {
            const uint64_t group = begin / kGroup, stop = std::min(end, (group + 1) * kGroup);
            action(notes_ + group * stride_ + begin % kGroup, begin, stop - begin);
            begin = stop;
        }
    }
    // Transfers have few lines: a call of memset or memchr would take longer.
    static void clear(uint8_t* notes, uint64_t count) {
        for (; count >= sizeof(uint64_t); count -= sizeof(uint64_t), notes += sizeof(uint64_t)) {
            std::memset(notes, 0, sizeof(uint64_t));
        }
        for (; count != 0; count--) {
            *notes++ = 0;
        }
    }
    static bool any(const uint8_t* notes, uint64_t count) {
        uint64_t all = 0, eight;
        for (; count >= sizeof eight; count -= sizeof eight, notes += sizeof eight) {
            std::memcpy(&eight, notes, sizeof eight);
            all |= eight;
        }
        for (; count != 0; count--) {
            all |= *notes++;
        }
        return all != 0;
    }
    void settle(uint64_t begin, uint64_t end) {
        for_each_run(begin, end, [this](uint8_t* notes, uint64_t first, uint64_t count) {
            if (any(notes, count)) [[unlikely]] {
                pay(notes, first, count);
            }
        });
        std::atomic_thread_fence(std::memory_order_acquire);  // a line that another thread has filled is visible
    }
    void fill_now(uint64_t begin, uint64_t end, uint32_t word);
    void pay(uint8_t* notes, uint64_t first, uint64_t count);
    uint8_t note_of(uint32_t word);

    uint8_t* memory_;
    uint64_t bank_bytes_;
    uint8_t* notes_;  // per line: 0, or 1 + index of the word to fill it with
    uint64_t stride_;
    PoisonState* state_;
};

}  // namespace tw
