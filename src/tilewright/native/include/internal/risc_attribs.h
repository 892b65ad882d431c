// SPDX-License-Identifier: Apache-2.0
// Attributes a kernel puts on pointers and functions; a host compiler needs none of them.
#pragma once

#include <cstddef>
#include <cstdint>

#define tt_l1_ptr
#define tt_reg_ptr
#define FORCE_INLINE inline

union tt_uint64_t {
    uint64_t v;
    struct {
        uint32_t hi;
        uint32_t lo;
    };
};

inline uint64_t tt_l1_load(tt_uint64_t* p) { return p->v; }
inline uint64_t tt_l1_load(volatile tt_uint64_t* p) { return p->v; }

enum class L1WordCount : int32_t {};
constexpr L1WordCount l1_word_count_from_bytes(size_t bytes) { return L1WordCount(bytes / sizeof(uint32_t)); }
template <typename T>
constexpr L1WordCount l1_word_count_from_range(T* start, T* end) {
    static_assert(sizeof(T) == sizeof(uint32_t), "an L1 word has 4 bytes");
    return L1WordCount(end - start);
}

enum class InlineWriteDst : uint8_t { DEFAULT = 0, L1 = 1, REG = 2 };
