// SPDX-License-Identifier: Apache-2.0
#include "outbox.h"

#include <algorithm>
#include <cstring>

namespace tw {

bool Outbox::reaches(const uint8_t* memory, uint64_t bytes) const {
    const auto overlaps = [&](const Entry& entry) {
        return entry.to < memory + bytes && memory < entry.to + entry.bytes;
    };
    return !arrives_at_once_ &&
           std::any_of(entries_.begin() + static_cast<int64_t>(first_of_core_), entries_.end(), overlaps);
}

bool Outbox::has_value_of_earlier_slice(const uint8_t* memory, uint64_t bytes, uint64_t slice) const {
    const auto is_earlier = [&](const Entry& entry) {
        return entry.mask == 0 && entry.slice != slice && entry.to < memory + bytes && memory < entry.to + entry.bytes;
    };
    return std::any_of(entries_.begin() + static_cast<int64_t>(first_of_core_), entries_.end(), is_earlier);
}

void Outbox::write(uint8_t* to, const uint8_t* from, uint32_t bytes, uint64_t slice) {
    entries_.push_back({to, bytes, 0, 0, data_.size(), slice});
    if (arrives_at_once_) {
        std::memmove(to, from, bytes);
    } else {
        data_.insert(data_.end(), from, from + bytes);
    }
}

void Outbox::increment(uint8_t* to, uint32_t amount, uint32_t mask) {
    if (arrives_at_once_) {
        increment_word(to, amount, mask);
    } else {
        entries_.push_back({to, sizeof(uint32_t), amount, mask, 0, 0});
    }
}

void Outbox::deliver() {
    for (const Entry& entry : entries_) {
        if (arrives_at_once_) {
            break;
        }
        if (entry.mask != 0) {
            increment_word(entry.to, entry.amount, entry.mask);
        } else {
            std::memcpy(entry.to, data_.data() + entry.data, entry.bytes);
        }
    }
    entries_.clear();
    data_.clear();
    first_of_core_ = 0;
}

uint32_t Outbox::word_after_delivery(const uint8_t* memory) const {
    uint32_t word;
    std::memcpy(&word, memory, sizeof word);
    for (const Entry& entry : entries_) {
        if (arrives_at_once_ || memory < entry.to || entry.to + entry.bytes < memory + sizeof word) {
            continue;
        }
        if (entry.mask != 0) {
            word = (word & ~entry.mask) | ((word + entry.amount) & entry.mask);
        } else {
            std::memcpy(&word, data_.data() + entry.data + (memory - entry.to), sizeof word);
        }
    }
    return word;
}

// Atomic, because cores on several OS threads share words in DRAM.
void increment_word(uint8_t* memory, uint32_t amount, uint32_t mask) {
    auto* word = reinterpret_cast<uint32_t*>(memory);
    uint32_t before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
    do {
        after = (before & ~mask) | ((before + amount) & mask);
    } while (!__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

}  // namespace tw
