// SPDX-License-Identifier: Apache-2.0
// The last storer of each word of L1. The chip keeps it from run to run, like the shadow memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chip/chip.h"

namespace tw {

class LastStores {
public:
    explicit LastStores(const Chip& chip);
    ~LastStores();
    LastStores(const LastStores&) = delete;
    LastStores& operator=(const LastStores&) = delete;

    // Forgets all stores.
    void clear();
    // Of the word at a slot pointer. The caller defines its meaning; 0: no store.
    uint32_t word(uint32_t address) const {
        const uint32_t index = (address - l1_begin_) / 4;
        return is_used_[index / kBlockWords] != 0 ? words_[index] : 0;
    }
    void set(uint32_t address, uint32_t num_words, uint32_t value) {
        const uint32_t first = (address - l1_begin_) / 4;
        for (uint32_t block = first / kBlockWords; block <= (first + num_words - 1) / kBlockWords; block++) {
            if (is_used_[block] == 0) {
                use(block);
            }
        }
        std::fill_n(words_ + first, num_words, value);
    }
    // Forgets the stores to these bytes.
    void forget(uint32_t address, uint64_t bytes);

private:
    // A line of the cache: rows of tiles lie apart.
    static constexpr uint32_t kBlockWords = 16;

    void use(uint32_t block);

    uint32_t l1_begin_;
    uint64_t l1_bytes_, num_blocks_;
    uint32_t* words_;  // those of a block count once it is used
    uint8_t* is_used_;  // by block
    std::vector<uint32_t> used_;    // blocks
};

}  // namespace tw
