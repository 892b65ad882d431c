// SPDX-License-Identifier: Apache-2.0
// Division by constants. A host divides as fast as any trick.
#pragma once

#include <cstdint>

inline uint32_t mulsi3(uint32_t a, uint32_t b) { return a * b; }

#define TW_FAST_DIVIDE_BY(divisor) \
    inline uint32_t fast_udiv_##divisor(uint32_t n) { return n / divisor; }
TW_FAST_DIVIDE_BY(7)
TW_FAST_DIVIDE_BY(12)
TW_FAST_DIVIDE_BY(20)
TW_FAST_DIVIDE_BY(28)
TW_FAST_DIVIDE_BY(48)
TW_FAST_DIVIDE_BY(56)
TW_FAST_DIVIDE_BY(63)
TW_FAST_DIVIDE_BY(70)
TW_FAST_DIVIDE_BY(72)
TW_FAST_DIVIDE_BY(80)
TW_FAST_DIVIDE_BY(94)
TW_FAST_DIVIDE_BY(108)
TW_FAST_DIVIDE_BY(110)
TW_FAST_DIVIDE_BY(117)
TW_FAST_DIVIDE_BY(120)
TW_FAST_DIVIDE_BY(124)
TW_FAST_DIVIDE_BY(126)
TW_FAST_DIVIDE_BY(130)
TW_FAST_DIVIDE_BY(140)
#undef TW_FAST_DIVIDE_BY

template <uint32_t d>
inline uint32_t udivsi3_const_divisor(uint32_t n) {
    return n / d;
}
template <uint32_t d>
inline uint32_t umodsi3_const_divisor(uint32_t n) {
    return n % d;
}
