// SPDX-License-Identifier: Apache-2.0
// Conversions of 32-bit words as the vector unit's instructions make them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tw::sfpu {

inline constexpr uint32_t kSign = 0x80000000u, kExponent = 0x7f800000u, kMantissa = 0x007fffffu;

inline int32_t signed12(uint32_t immediate) { return static_cast<int32_t>(immediate << 20) >> 20; }

inline uint32_t exponent_of(uint32_t word) { return word >> 23 & 0xffu; }

// Positive distances shift left, negative ones right; 32 and more give zero.
inline uint32_t shifted(uint32_t word, int32_t distance, bool arithmetic) {
    if (distance >= 0) {
        return distance < 32 ? word << distance : 0;
    }
    if (arithmetic) {
        return static_cast<uint32_t>(static_cast<int32_t>(word) >> std::min(-distance, 31));
    }
    return -distance < 32 ? word >> -distance : 0;
}

// The order of the unit's comparisons: by sign and magnitude.
inline int32_t order(uint32_t word) {
    return static_cast<int32_t>(word) ^
           static_cast<int32_t>(static_cast<uint32_t>(static_cast<int32_t>(word) >> 31) >> 1);
}

inline float from_float16(uint32_t half) {
    const uint32_t exponent = half >> 10 & 0x1f;
    const float magnitude = std::ldexp(
        static_cast<float>((half & 0x3ff) | (exponent != 0 ? 0x400 : 0)),
        static_cast<int>(std::max(exponent, 1u)) - 25);
    return half >> 15 & 1 ? -magnitude : magnitude;
}

inline float as_number(uint32_t sign_and_magnitude) {
    const float magnitude = static_cast<float>(sign_and_magnitude & ~kSign);
    return sign_and_magnitude & kSign ? -magnitude : magnitude;
}

// A float rounded to an integer, halves away from zero, as a sign and a magnitude not above `largest`.
inline uint32_t to_integer(uint32_t word, uint32_t largest, bool has_sign) {
    const auto value = std::bit_cast<float>(word);
    if (!has_sign && (word & kSign)) {
        return 0;
    }
    const double magnitude = std::isnan(value) ? largest : std::floor(std::fabs(static_cast<double>(value)) + 0.5);
    const auto integer = static_cast<uint32_t>(std::min<double>(magnitude, largest));
    return integer | (has_sign && integer != 0 ? word & kSign : 0);
}

}  // namespace tw::sfpu
