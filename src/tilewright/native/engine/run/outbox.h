// SPDX-License-Identifier: Apache-2.0
// What cores have sent to each other's L1 in this round and has not arrived.
//
// A run goes in rounds (run_loop.h). If a flag arrived at once, whether a core sees it in this round would depend on which
// of the two runs first, and with several threads on time. So what may be a flag (anything small) arrives between rounds,
// in the order of cores. Data that is larger arrives at once: nobody may look at it before a flag says so.
//
// In the orders of a seed flags arrive at once too: a checked run with one tries what may happen, not what is likely.
#pragma once

#include <cstdint>
#include <vector>

namespace tw {

class Outbox {
public:
    static constexpr uint64_t kMostFlagBytes = 64;

    explicit Outbox(bool arrives_at_once) : arrives_at_once_(arrives_at_once) {}

    // From here on another core sends.
    void begin_core() { first_of_core_ = entries_.size(); }
    // The core has sent much: it waits for the next round before it sends more.
    bool is_full() const { return entries_.size() - first_of_core_ >= kMostOfCore; }
    // Whether the core has sent anything to these bytes that has not arrived.
    bool reaches(const uint8_t* memory, uint64_t bytes) const;
    // Whether it has sent a value there before the turn it is in now, and had waited for something since. On a card
    // whoever polls there sees that value long before the next: it is not to be overwritten before he had his turn.
    bool has_value_of_earlier_slice(const uint8_t* memory, uint64_t bytes, uint64_t turn) const;

    void write(uint8_t* to, const uint8_t* from, uint32_t bytes, uint64_t turn);
    // `mask`: the bits of the word that count up.
    void increment(uint8_t* to, uint32_t amount, uint32_t mask);
    void deliver();
    // What a word will hold when all that was sent to it has arrived.
    uint32_t word_after_delivery(const uint8_t* memory) const;

private:
    static constexpr uint64_t kMostOfCore = 4096;
    struct Entry {
        uint8_t* to;
        uint32_t bytes;
        uint32_t amount, mask;  // of an increment; a write has mask 0
        uint64_t data, turn;  // of a write: where it begins in data_, and the turn of the kernel that sent it
    };

    const bool arrives_at_once_;
    std::vector<Entry> entries_;
    std::vector<uint8_t> data_;
    uint64_t first_of_core_ = 0;
};

// What an increment does to the word at `memory`.
void increment_word(uint8_t* memory, uint32_t amount, uint32_t mask);

}  // namespace tw
