// SPDX-License-Identifier: Apache-2.0
#include "check/memory/last_stores.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tw {

LastStores::LastStores(const Chip& chip) :
    l1_begin_(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(chip.memory().l1()))),
    l1_bytes_(uint64_t{chip.num_dies()} * chip.cores_per_die() * kL1SlotBytes),
    is_used_(l1_bytes_ / kBlockBytes) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* words = mmap(nullptr, l1_bytes_, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (words == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(words, l1_bytes_, MADV_NOHUGEPAGE);  // little of it is ever touched
    words_ = static_cast<uint32_t*>(words);
}

LastStores::~LastStores() { munmap(words_, l1_bytes_); }

void LastStores::clear() {
    for (const uint32_t block : used_) {
        std::fill_n(words_ + static_cast<size_t>(block) * kBlockBytes / 4, kBlockBytes / 4, 0u);
        is_used_[block] = 0;
    }
    used_.clear();
}

void LastStores::set_all(uint32_t first, uint32_t num_words, uint32_t value) {
    std::fill_n(words_ + first, num_words, value);
    for (uint32_t block = first * 4 / kBlockBytes; block <= (first + num_words - 1) * 4 / kBlockBytes; block++) {
        if (!is_used_[block]) {
            is_used_[block] = 1;
            used_.push_back(block);
        }
    }
}

void LastStores::forget(uint32_t address, uint64_t bytes) {
    for (uint64_t at = address - l1_begin_, end = at + bytes; at < end;) {
        const uint64_t block_end = std::min<uint64_t>(end, (at / kBlockBytes + 1) * kBlockBytes);
        if (is_used_[at / kBlockBytes]) {
            std::fill(words_ + at / 4, words_ + (block_end + 3) / 4, 0u);
        }
        at = block_end;
    }
}

}  // namespace tw
