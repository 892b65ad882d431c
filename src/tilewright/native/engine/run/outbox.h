// SPDX-License-Identifier: Apache-2.0
// Flags sent to other cores' L1 in this round that have not arrived.
//
// A run proceeds in rounds (run_loop.h). If a flag arrived at once, the order of the two cores, or the timing of
// threads, would decide whether the receiver sees it in this round. So anything small enough to be a flag arrives
// between rounds, in the order of cores. Larger data arrives at once: a correct program reads it only after a flag.
//
// In randomised schedules (RunOptions::seed) flags arrive at once too, because such a run explores what is possible.
#pragma once

#include <cstdint>
#include <vector>

namespace tw {

class Outbox {
public:
    static constexpr uint64_t kMostFlagBytes = 64;

    explicit Outbox(bool arrives_at_once) : arrives_at_once_(arrives_at_once) {}

    // Later entries are sent by another core.
    void begin_core() { first_of_core_ = entries_.size(); }
    // The core has sent its limit of one round and waits for the next.
    bool is_full() const { return entries_.size() - first_of_core_ >= kMostOfCore; }
    // Whether the core has sent anything to these bytes that has not arrived.
    bool reaches(const uint8_t* memory, uint64_t bytes) const;
    // Whether the kernel sent a value there in an earlier time slice, and has waited since, for another kernel or for
    // the writes' acknowledgement. On a card a poller sees that value long before the next one, so it must be delivered
    // before it is overwritten.
    bool has_value_of_earlier_slice(const uint8_t* memory, uint64_t bytes, uint64_t slice) const;

    void write(uint8_t* to, const uint8_t* from, uint32_t bytes, uint64_t slice);
    // `mask`: the bits of the word that are incremented.
    void increment(uint8_t* to, uint32_t amount, uint32_t mask);
    void deliver();
    // Value of a word once everything sent to it has arrived.
    uint32_t word_after_delivery(const uint8_t* memory) const;

private:
    static constexpr uint64_t kMostOfCore = 4096;
    struct Entry {
        uint8_t* to;
        uint32_t bytes;
        uint32_t amount, mask;  // of an increment; a write has mask 0
        uint64_t data, slice;  // of a write: offset into data_, and the sender's time slice
    };

    const bool arrives_at_once_;
    std::vector<Entry> entries_;
    std::vector<uint8_t> data_;
    uint64_t first_of_core_ = 0;
};

// Adds to the bits of `mask` in the word at `memory`.
void increment_word(uint8_t* memory, uint32_t amount, uint32_t mask);

}  // namespace tw
