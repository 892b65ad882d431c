// SPDX-License-Identifier: Apache-2.0
// bfloat16 as bits.
#pragma once

#include <cstdint>
#include <cstring>

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint16_t BFLOAT16_EXPONENT_MASK = 0x7F80;
inline constexpr uint16_t BFLOAT16_MANTISSA_MASK = 0x007F;
inline constexpr uint16_t BFLOAT16_MAGNITUDE_MASK = 0x7FFF;

inline float bf16_to_fp32(std::uint16_t bf16) {
    std::uint32_t bits = std::uint32_t(bf16) << 16;
    return __builtin_bit_cast(float, bits);
}
inline std::uint16_t fp32_to_bf16_truncate(float x) { return __builtin_bit_cast(std::uint32_t, x) >> 16; }
// To the nearest, ties to even.
inline std::uint16_t fp32_to_bf16(float x) {
    std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

struct FloatBits {
    std::uint16_t high16;
    std::uint16_t low16;
    explicit FloatBits(float value) :
        high16(__builtin_bit_cast(std::uint32_t, value) >> 16), low16(__builtin_bit_cast(std::uint32_t, value)) {}
};

// Ordered by sign and magnitude; +0 counts as greater than -0.
inline bool bfloat16_greater(uint16_t bf16_a, uint16_t bf16_b) {
    bool a_negative = bf16_a & BFLOAT16_SIGN_MASK;
    bool b_negative = bf16_b & BFLOAT16_SIGN_MASK;
    if (a_negative != b_negative) {
        return b_negative;
    }
    return a_negative ? bf16_a < bf16_b : bf16_a > bf16_b;
}
