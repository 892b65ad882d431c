// SPDX-License-Identifier: Apache-2.0
// Copies that bypass the caches, to memory that is not read soon. A tensor written page by page would evict what the
// cores work on, and each of its lines would first be read in vain.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tw {

inline void streaming_copy(uint8_t* to, const uint8_t* from, uint32_t bytes) {
#if defined(__x86_64__)
    constexpr uint32_t kStep = sizeof(__m128i);
    const bool aligned = ((reinterpret_cast<uintptr_t>(to) | bytes) & (kStep - 1)) == 0;
    if (aligned && bytes >= 512) {
        uint32_t at = 0;
#if defined(__AVX512F__)
        constexpr uint32_t kLine = sizeof(__m512i);  // a whole one at once
        if ((reinterpret_cast<uintptr_t>(to) & (kLine - 1)) == 0) {
            for (; at + kLine <= bytes; at += kLine) {
                _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
            }
        }
#endif
        for (; at < bytes; at += kStep) {
            _mm_stream_si128(
                reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
        }
        return;
    }
#endif
    std::memmove(to, from, bytes);
}

// Consecutive pages of a tensor lie in different banks, so the next page of this bank is read a few pages later. No
// hardware prefetcher recognises that.
inline void prefetch_following(const uint8_t* from, uint32_t bytes) {
    constexpr uint32_t kLine = 64;
    constexpr uint32_t kMostBytes = 4096;
    for (uint32_t at = 0; at < bytes && at < kMostBytes; at += kLine) {
        __builtin_prefetch(from + bytes + at, 0, 2);
    }
}

}  // namespace tw
