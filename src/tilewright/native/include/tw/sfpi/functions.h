// SPDX-License-Identifier: Apache-2.0
// sfpi's functions of vectors: parts of floats, conversions, minimum and maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tw/sfpi/registers.h"

namespace sfpi {

enum class ExponentMode { Unbiased, Biased };
enum class MantissaMode { ImplicitOne, Raw };
enum class RoundMode { Nearest, NearestEven = Nearest, NearestAway, Stochastic, NearestStochastic = Stochastic };
enum class ShiftMode { Logical, Arithmetic };

// --- the same bits as another type ---
template <typename Result>
Result as(const Lanes& a) {
    Result result;
    std::memcpy(result.word, a.word, sizeof a.word);
    return result;
}
template <typename Result>
Result reinterpret(const Lanes& a) {
    return as<Result>(a);
}

// --- parts of a float ---
inline vInt exexp(const vFloat& a, ExponentMode mode = ExponentMode::Unbiased) {
    const int bias = mode == ExponentMode::Biased ? 0 : 127;
    return map_lanes<vInt>(a, [=](std::uint32_t x) { return static_cast<int>(x >> 23 & 0xff) - bias; });
}
inline vInt exexp_nodebias(const vFloat& a) { return exexp(a, ExponentMode::Biased); }
inline vMag exman(const vFloat& a, MantissaMode mode = MantissaMode::Raw) {
    const std::uint32_t one = mode == MantissaMode::ImplicitOne ? 0x00800000u : 0;
    return map_lanes<vMag>(a, [=](std::uint32_t x) { return (x & 0x007fffffu) | one; });
}
inline vMag exman8(const vFloat& a) { return exman(a, MantissaMode::ImplicitOne); }
inline vMag exman9(const vFloat& a) { return exman(a, MantissaMode::Raw); }

inline vFloat setexp(const vFloat& a, const SignedLanes& exponent) {
    return map_lanes<vFloat>(
        a, exponent, [](std::uint32_t x, std::uint32_t e) { return (x & 0x807fffffu) | (e & 0xff) << 23; });
}
inline vFloat setexp(const vFloat& a, const UnsignedLanes& exponent) { return setexp(a, vInt(exponent)); }
inline vFloat setexp(const vFloat& a, std::uint32_t exponent) { return setexp(a, vInt(exponent)); }
inline vFloat setman(const vFloat& a, const SignedLanes& mantissa) {
    return map_lanes<vFloat>(
        a, mantissa, [](std::uint32_t x, std::uint32_t m) { return (x & 0xff800000u) | (m & 0x007fffffu); });
}
inline vFloat setman(const vFloat& a, const UnsignedLanes& mantissa) { return setman(a, vInt(mantissa)); }
inline vFloat setman(const vFloat& a, std::uint32_t mantissa) { return setman(a, vInt(mantissa)); }
inline vFloat addexp(const vFloat& a, std::int32_t number) {
    return map_lanes<vFloat>(a, [=](std::uint32_t x) {
        return (x & 0x807fffffu) | ((x >> 23 & 0xff) + static_cast<std::uint32_t>(number) & 0xff) << 23;
    });
}
template <typename Vector>
    requires std::is_base_of_v<Lanes, Vector>
Vector setsgn(const Vector& a, std::int32_t sign) {
    return map_lanes<Vector>(
        a, [=](std::uint32_t x) { return (x & 0x7fffffffu) | static_cast<std::uint32_t>(sign & 1) << 31; });
}
template <typename Vector>
    requires std::is_base_of_v<Lanes, Vector>
Vector setsgn(const Vector& a, const Lanes& sign) {
    return map_lanes<Vector>(
        a, sign, [](std::uint32_t x, std::uint32_t s) { return (x & 0x7fffffffu) | (s & 0x80000000u); });
}
inline vFloat copysgn(const vFloat& magnitude, const vFloat& sign) { return setsgn(magnitude, sign); }
inline vFloat copyman(const vFloat& a, const vFloat& mantissa) { return setman(a, as<vInt>(mantissa)); }

inline vFloat abs(const vFloat& a) { return setsgn(a, 0); }
inline vMag abs(const SignedLanes& a) {
    return map_lanes<vMag>(a, [](std::uint32_t x) { return x >> 31 != 0 ? 0u - x : x; });
}
inline vMag lz(const Lanes& a) {
    return map_lanes<vMag>(a, [](std::uint32_t x) { return std::countl_zero(x); });
}
inline vBool is_nan(const vFloat& a) { return a != a; }
inline vBool is_inf(const vFloat& a) { return abs(a) == vFloat(__builtin_inff()); }
inline vBool is_finite(const vFloat& a) { return abs(a) < vFloat(__builtin_inff()); }
inline vBool is_neg(const vFloat& a) { return as<vInt>(a) < 0; }
inline vBool is_pos(const vFloat& a) { return as<vInt>(a) >= 0; }

// --- shifts by a vector: left where positive, right where negative ---
template <typename Vector>
Vector shft(const Vector& a, const SignedLanes& distance, ShiftMode mode = ShiftMode::Logical) {
    return map_lanes<Vector>(a, distance, [=](std::uint32_t x, std::uint32_t d) -> std::uint32_t {
        const auto by = static_cast<std::int32_t>(d);
        if (by >= 0) {
            return by < 32 ? x << by : 0;
        }
        if (mode == ShiftMode::Arithmetic) {
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> std::min(-by, 31));
        }
        return -by < 32 ? x >> -by : 0;
    });
}
template <typename Vector>
Vector shft(const Vector& a, std::int32_t distance, ShiftMode mode = ShiftMode::Logical) {
    return shft(a, static_cast<const SignedLanes&>(vInt(distance)), mode);
}

// --- order: by sign and magnitude, as the unit compares ---
inline std::int32_t order_of(std::uint32_t word) {
    const auto bits = static_cast<std::int32_t>(word);
    return bits ^ static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 31) >> 1);
}
inline vFloat min(const vFloat& a, const vFloat& b) {
    return map_lanes<vFloat>(a, b, [](std::uint32_t x, std::uint32_t y) { return order_of(x) < order_of(y) ? x : y; });
}
inline vFloat max(const vFloat& a, const vFloat& b) {
    return map_lanes<vFloat>(a, b, [](std::uint32_t x, std::uint32_t y) { return order_of(x) > order_of(y) ? x : y; });
}
inline vFloat clamp(const vFloat& a, const vFloat& low, const vFloat& high) { return min(max(a, low), high); }
inline vFloat symmetric_clamp(const vFloat& a, const vFloat& limit) { return clamp(a, negated(limit), limit); }
inline void vec_min_max(vFloat& smaller, vFloat& larger) {
    const vFloat low = min(smaller, larger), high = max(smaller, larger);
    smaller = low;
    larger = high;
}
inline void min_max(vFloat& smaller, vFloat& larger) { vec_min_max(smaller, larger); }
template <typename Vector>
void vec_swap(Vector& a, Vector& b) {
    const Vector held = a;
    a = b;
    b = held;
}

// --- conversions ---
inline std::uint32_t sign_and_magnitude(std::uint32_t bits, std::uint32_t largest, bool has_sign) {
    const float value = std::bit_cast<float>(bits);
    if (!has_sign && bits >> 31 != 0) {
        return 0;
    }
    const double magnitude = value != value ? largest : std::floor(std::fabs(static_cast<double>(value)) + 0.5);
    const auto integer = static_cast<std::uint32_t>(magnitude < largest ? magnitude : largest);
    return integer | (has_sign && integer != 0 ? bits & 0x80000000u : 0);
}
inline vFloat rounded(const vFloat& a, std::uint32_t low_bits) {
    return map_lanes<vFloat>(a, [=](std::uint32_t x) {
        return (x & 0x7f800000u) == 0 ? x & 0x80000000u : (x + (low_bits + 1) / 2) & ~low_bits;
    });
}

// To a float of fewer bits (which stays a vFloat), or to an integer as a sign and a magnitude.
template <typename Result>
auto convert(const vFloat& a, RoundMode = RoundMode::Nearest) {
    if constexpr (std::is_same_v<Result, vFloat16b>) {
        return rounded(a, 0xffffu);
    } else if constexpr (std::is_same_v<Result, vFloat16a>) {
        return rounded(a, 0x1fffu);
    } else if constexpr (std::is_same_v<Result, vUInt8>) {
        return map_lanes<vUInt8>(a, [](std::uint32_t x) { return sign_and_magnitude(x, 255, false); });
    } else if constexpr (std::is_same_v<Result, vUInt16>) {
        return map_lanes<vUInt16>(a, [](std::uint32_t x) { return sign_and_magnitude(x, 65535, false); });
    } else if constexpr (std::is_same_v<Result, vSMag8>) {
        return map_lanes<vSMag8>(a, [](std::uint32_t x) { return sign_and_magnitude(x, 127, true); });
    } else {
        static_assert(std::is_same_v<Result, vSMag16>, "a float converts to vFloat16a/b, vUInt8/16, vSMag8/16");
        return map_lanes<vSMag16>(a, [](std::uint32_t x) { return sign_and_magnitude(x, 32767, true); });
    }
}

inline float number_of(std::uint32_t word) {
    const float magnitude = static_cast<float>(word & 0x7fffffffu);
    return word >> 31 != 0 ? -magnitude : magnitude;
}
// Integers: a magnitude, a sign and a magnitude, or two's complement, to a float or to one another.
template <typename Result, typename Integer>
    requires(std::is_base_of_v<SignedLanes, Integer> || std::is_base_of_v<UnsignedLanes, Integer>)
Result convert(const Integer& a, RoundMode = RoundMode::Nearest) {
    constexpr bool is_complement = std::is_same_v<Integer, vInt> || std::is_same_v<Integer, SignedLanes>;
    return map_lanes<Result>(a, [](std::uint32_t x) {
        constexpr bool to_complement = std::is_same_v<Result, vInt>;
        const std::uint32_t parts = is_complement && x >> 31 != 0 ? 0x80000000u | (0u - x) : x;
        if constexpr (std::is_same_v<Result, vFloat>) {
            return std::bit_cast<std::uint32_t>(number_of(parts));
        } else {
            return to_complement && parts >> 31 != 0 ? 0u - (parts & 0x7fffffffu) : parts;
        }
    });
}
inline vFloat int32_to_float(const SignedLanes& a, int = 0) { return convert<vFloat>(as<vSMag>(a)); }
inline vFloat float_to_fp16b(const vFloat& a, int = 0) { return rounded(a, 0xffffu); }
inline vFloat float_to_fp16a(const vFloat& a, int = 0) { return rounded(a, 0x1fffu); }
inline vUInt float_to_uint8(const vFloat& a, int = 0) { return convert<vUInt8>(a); }
inline vUInt float_to_uint16(const vFloat& a, int = 0) { return convert<vUInt16>(a); }
inline vInt float_to_int16(const vFloat& a, int = 0) { return convert<vSMag16>(a); }

// --- between lanes ---
template <typename Vector>
Vector subvec_shflror1(const Vector& a) {
    Vector result;
    for (std::uint32_t lane = 0; lane < tw::kVectorLanes; lane++) {
        result.word[lane] = a.word[lane % 8 == 0 ? lane + 7 : lane - 1];
    }
    return result;
}
template <typename Vector>
void subvec_transp(Vector& a, Vector& b, Vector& c, Vector& d) {
    Vector* rows[] = {&a, &b, &c, &d};
    for (std::uint32_t row = 0; row < 4; row++) {
        for (std::uint32_t column = 0; column < row; column++) {
            for (std::uint32_t lane = 0; lane < 8; lane++) {
                std::swap(rows[row]->word[column * 8 + lane], rows[column]->word[row * 8 + lane]);
            }
        }
    }
}

// --- functions of the low-level library, and Blackhole's approximate instructions ---
inline vFloat lane_function(tw::LaneFunction function, const vFloat& a) {
    vFloat result;
    tw_vector_function(static_cast<std::uint32_t>(function), result.word, a.word);
    return result;
}
inline vFloat approx_recip(const vFloat& a) { return lane_function(tw::LaneFunction::ApproximateReciprocal, a); }

}  // namespace sfpi
