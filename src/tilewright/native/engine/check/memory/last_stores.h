// SPDX-License-Identifier: Apache-2.0
// The last storer of each word of L1. The chip keeps it from run to run, like the shadow memory.
#pragma once

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
    // Words from a slot pointer on. The caller defines their meaning; 0: no store.
    const uint32_t* words(uint32_t address) const { return words_ + (address - l1_begin_) / 4; }
    void set(uint32_t address, uint32_t num_words, uint32_t value) {
        const uint32_t first = (address - l1_begin_) / 4;
        if (num_words == 1 && is_used_[first * 4 / kBlockBytes]) {
            words_[first] = value;
        } else {
            set_all(first, num_words, value);
        }
    }
    // Forgets the stores to these bytes.
    void forget(uint32_t address, uint64_t bytes);

private:
    static constexpr uint32_t kBlockBytes = 4096;

    void set_all(uint32_t first, uint32_t num_words, uint32_t value);

    uint32_t l1_begin_;
    uint64_t l1_bytes_;
    uint32_t* words_;
    std::vector<uint8_t> is_used_;  // by block
    std::vector<uint32_t> used_;    // blocks
};

}  // namespace tw
