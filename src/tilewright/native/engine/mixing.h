// SPDX-License-Identifier: Apache-2.0
// Random numbers and hashes that are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw {

// The next number of a SplitMix64 generator.
inline uint64_t next_random(uint64_t& state) {
    uint64_t mixed = state += 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
    return mixed ^ (mixed >> 31);
}

// FNV-1a, by words of 64 bits.
inline constexpr uint64_t kHashStart = 0xcbf29ce484222325u;
inline uint64_t hash_word(uint64_t hash, uint64_t word) { return (hash ^ word) * 0x100000001b3u; }
inline uint64_t hash_words(uint64_t hash, const void* memory, size_t bytes) {
    const auto* words = static_cast<const uint64_t*>(memory);
    for (size_t index = 0; index < bytes / sizeof *words; index++) {
        hash = hash_word(hash, words[index]);
    }
    return hash;
}

}  // namespace tw
