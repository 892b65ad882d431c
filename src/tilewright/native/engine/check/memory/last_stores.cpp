// SPDX-License-Identifier: Apache-2.0
#include "check/memory/last_stores.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace tw {

LastStores::LastStores(const Chip& chip) :
    l1_begin_(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(chip.memory().l1()))),
    l1_bytes_(uint64_t{chip.num_dies()} * chip.cores_per_die() * kL1SlotBytes),
    num_blocks_(l1_bytes_ / 4 / kBlockWords) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* words = mmap(nullptr, l1_bytes_ + num_blocks_, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (words == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(words, l1_bytes_ + num_blocks_, MADV_NOHUGEPAGE);  // little of it is ever touched
    words_ = static_cast<uint32_t*>(words);
    is_used_ = static_cast<uint8_t*>(words) + l1_bytes_;
}

LastStores::~LastStores() { munmap(words_, l1_bytes_ + num_blocks_); }

void LastStores::clear() {
    for (const uint32_t block : used_) {
        is_used_[block] = 0;
    }
    used_.clear();
}

void LastStores::use(uint32_t block) {
    std::fill_n(words_ + static_cast<size_t>(block) * kBlockWords, kBlockWords, 0u);
    is_used_[block] = 1;
    used_.push_back(block);
}

void LastStores::forget(uint32_t address, uint64_t bytes) {
    const uint64_t first = (address - l1_begin_) / 4, end = (address - l1_begin_ + bytes + 3) / 4;
    const uint64_t end_block = (end + kBlockWords - 1) / kBlockWords;
    for (uint64_t block = first / kBlockWords; block < end_block; block++) {
        const auto* next = static_cast<const uint8_t*>(std::memchr(&is_used_[block], 1, end_block - block));
        if (next == nullptr) {
            return;
        }
        block = static_cast<uint64_t>(next - is_used_);
        const uint64_t begin = std::max(first, block * kBlockWords);
        std::fill(words_ + begin, words_ + std::min(end, (block + 1) * kBlockWords), 0u);
    }
}

}  // namespace tw
