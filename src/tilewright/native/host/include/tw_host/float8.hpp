// SPDX-License-Identifier: Apache-2.0
// The 8-bit float with four bits of exponent: a number rounded to it, to the nearest, ties to even.
#pragma once

#include <cmath>
#include <cstdint>

class float8_e4m3 {
public:
    float8_e4m3() = default;
    explicit float8_e4m3(float value) : bits_(rounded(value)) {}
    std::uint8_t to_bits() const { return bits_; }

private:
    static std::uint8_t rounded(float value) {
        const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
        const float size = std::fabs(value);
        if (std::isnan(value)) {
            return 0x7F;
        }
        constexpr float largest = 448.0F;  // above it there are no infinities, only the largest number
        if (size >= largest) {
            return sign | 0x7E;
        }
        // Eighths of the power of two below the number; of 2^-6 for the smallest.
        const int exponent = size < 0.015625F ? -6 : std::ilogb(size);
        const auto eighths = static_cast<int>(std::nearbyint(std::ldexp(size, 3 - exponent)));
        const int biased = exponent + 7;
        return sign | static_cast<std::uint8_t>(biased * 8 + eighths - 8);
    }
    std::uint8_t bits_ = 0;
};

inline std::uint32_t pack_four_float8_e4m3_into_uint32(
    float8_e4m3 first, float8_e4m3 second, float8_e4m3 third, float8_e4m3 fourth) {
    return first.to_bits() | std::uint32_t{second.to_bits()} << 8U | std::uint32_t{third.to_bits()} << 16U |
           std::uint32_t{fourth.to_bits()} << 24U;
}
