// SPDX-License-Identifier: Apache-2.0
#include "lazy_poison.h"

#include <mutex>

namespace tw {

// A kernel of another process may have overwritten the notes. Whatever they contain, nothing outside the bank is
// written.
static void fill_words(uint8_t* memory, uint64_t bytes, uint32_t word) {
    std::fill_n(reinterpret_cast<uint32_t*>(memory), bytes / sizeof(uint32_t), word);
}

// 0 if there are too many different words already.
uint8_t LazyPoison::note_of(uint32_t word) {
    uint32_t* const words = state_->words;
    const uint32_t known = std::min(state_->num_words, PoisonState::kMostWords);
    const auto* found = std::find(words, words + known, word);
    if (found == words + known) {
        if (known == PoisonState::kMostWords) {
            return 0;
        }
        words[known] = word;
        state_->num_words = known + 1;
    }
    return static_cast<uint8_t>(found - words + 1);
}

void LazyPoison::fill_now(uint64_t begin, uint64_t end, uint32_t word) {
    if (begin != end) {
        before_overwrite(begin, end - begin);
        fill_words(memory_ + begin, end - begin, word);
    }
}

void LazyPoison::fill(uint64_t offset, uint64_t bytes, uint32_t word) {
    const uint8_t note = note_of(word);
    const uint64_t end = offset + bytes;
    const uint64_t first = std::min(lines_to(offset) * kLine, end);
    const uint64_t last = note == 0 ? first : std::max(first, end / kLine * kLine);
    fill_now(offset, first, word);
    fill_now(last, end, word);
    for_each_run(first / kLine, last / kLine, [note](uint8_t* notes, uint64_t, uint64_t count) {
        std::memset(notes, note, count);
    });
    state_->end = std::max(state_->end, last);
}

void LazyPoison::pay(uint8_t* notes, uint64_t first, uint64_t count) {
    static std::mutex paying;  // two threads may each write a part of one line
    const std::lock_guard<std::mutex> lock(paying);
    for (uint64_t line = 0; line < count; line++) {
        if (notes[line] != 0) {
            fill_words(
                memory_ + (first + line) * kLine, kLine, state_->words[(notes[line] - 1u) % PoisonState::kMostWords]);
            std::atomic_thread_fence(std::memory_order_release);
            notes[line] = 0;
        }
    }
}

void LazyPoison::settle_all() {
    settle(0, lines_to(std::min(state_->end, bank_bytes_)));
    state_->end = 0;
}

}  // namespace tw
