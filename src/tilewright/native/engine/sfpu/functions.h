// SPDX-License-Identifier: Apache-2.0
// Elementary functions on vectors, correct to about one unit in the last place of float32 (a few where noted).
// The polynomials are interpolations at Chebyshev points made for these intervals.
#pragma once

#include "vector.h"

namespace tw::sfpu {

inline constexpr float kInfinity = __builtin_inff();
inline constexpr float kNan = __builtin_nanf("");
inline constexpr float kLog2E = 1.44269504f;
// ln 2 in two parts: the first has few enough bits that its product with an exponent is exact.
inline constexpr float kLn2High = 0.693359375f;
inline constexpr float kLn2Low = -2.12194440e-4f;
inline constexpr float kLn2 = 0.693147181f;

TW_INLINE Floats polynomial(Floats, float c0) { return all(c0); }
// c0 + c1 x + c2 x^2 + ...
template <class... Rest>
TW_INLINE Floats polynomial(Floats x, float c0, Rest... rest) {
    return polynomial(x, rest...) * x + c0;
}

TW_INLINE Floats to_floats(Ints x) { return __builtin_convertvector(x, Floats); }

// Adding 1.5 * 2^23 leaves the rounded integer in the low mantissa bits; good for |x| < 2^22.
inline constexpr float kRoundingShift = 12582912.0f;

struct ExpParts {
    Floats remainder;       // in +-ln(2)/2
    Ints shifted_exponent;  // n in the exponent's place of a float: adding it multiplies by 2^n
};
TW_INLINE ExpParts exp_reduce(Floats x) {
    Floats shifted = x * kLog2E + kRoundingShift;
    Floats n = shifted - kRoundingShift;
    // The shift itself has no bits that survive moving n up to the exponent.
    return {(x - n * kLn2High) - n * kLn2Low, ints_of(shifted) << 23};
}

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2.
TW_INLINE Floats expm1_series(Floats r) {
    return polynomial(
        r, 0.5000000013f, 0.1666666668f, 0.04166646501f, 0.008333310934f, 0.001393364103f, 0.0001989098087f);
}
TW_INLINE Floats exp_polynomial(Floats r) {
    return polynomial(r, 1.0f, 1.0f, 0.5f, 0.1666657703f, 0.04166655466f, 0.008363173075f, 0.001392617612f);
}
// value * 2^n where value is in [0.5, 2) and the result is a normal number.
TW_INLINE Floats scale(Floats value, Ints shifted_exponent) { return floats_of(ints_of(value) + shifted_exponent); }

TW_INLINE Floats exp(Floats x) {
    ExpParts parts = exp_reduce(x);
    Floats result = scale(exp_polynomial(parts.remainder), parts.shifted_exponent);
    result = select(x < -87.3365478f, 0.0f, result);
    // Too large becomes infinity, and NaN stays one.
    return select(~(x <= 88.7228394f), x * kInfinity, result);
}

TW_INLINE Floats exp2(Floats x) {
    Floats shifted = x + kRoundingShift;
    Floats remainder = (x - (shifted - kRoundingShift)) * kLn2;
    Floats result = scale(exp_polynomial(remainder), ints_of(shifted) << 23);
    result = select(x < -126.0f, 0.0f, result);
    return select(~(x < 128.0f), x * kInfinity, result);
}

TW_INLINE Floats expm1(Floats x) {
    Floats bounded = select(x < -18.0f, -18.0f, x);
    ExpParts parts = exp_reduce(bounded);
    Floats r = parts.remainder;
    Floats minus_one = r + r * r * expm1_series(r);
    Floats power = scale(all(1.0f), parts.shifted_exponent);
    Floats result = power * minus_one + (power - 1.0f);
    return select(x > 17.5f, exp(x), select(is_nan(x), x, result));
}

struct LogParts {
    Floats fraction;  // mantissa - 1, mantissa in [sqrt(1/2), sqrt(2))
    Floats exponent;
};
TW_INLINE LogParts log_reduce(Floats x) {
    Ints offset = ints_of(x) - 0x3f3504f3;
    Ints exponent = offset >> 23;
    Floats mantissa = floats_of((offset & 0x007fffff) + 0x3f3504f3);
    return {mantissa - 1.0f, to_floats(exponent)};
}
TW_INLINE Floats log1p_of_fraction(Floats f) {
    Floats series = polynomial(
        f,
        0.3333333118f,
        -0.2499999696f,
        0.2000071575f,
        -0.1666780232f,
        0.1424905765f,
        -0.1242568733f,
        0.1168541992f,
        -0.1147973385f,
        0.06971611471f);
    Floats square = f * f;
    return f + (square * f * series - 0.5f * square);
}
TW_INLINE Floats log_special_cases(Floats x, Floats result) {
    result = select(x == kInfinity, kInfinity, result);
    result = select(x == 0.0f, -kInfinity, result);
    return select((x < 0.0f) | is_nan(x), kNan, result);
}
TW_INLINE Floats log(Floats x) {
    LogParts parts = log_reduce(x);
    Floats f = parts.fraction;
    Floats series = log1p_of_fraction(f);
    Floats result = parts.exponent * kLn2High + (parts.exponent * kLn2Low + series);
    return log_special_cases(x, result);
}
TW_INLINE Floats log1p(Floats x) {
    Floats sum = 1.0f + x;
    LogParts parts = log_reduce(sum);
    // What the addition lost, at the scale of the sum.
    Floats lost = select(x > 1.0f, 1.0f - (sum - x), x - (sum - 1.0f)) / sum;
    Floats result = parts.exponent * kLn2High + (parts.exponent * kLn2Low + lost + log1p_of_fraction(parts.fraction));
    result = select(absolute(x) < 1e-4f, x - 0.5f * x * x, result);
    return log_special_cases(sum, result);
}

// 1/sqrt(x) for x > 0. Halving the exponent of the bit pattern is a first guess; each Newton step doubles its good
// bits. A negative x is taken as positive: it would send the steps through denormals, slowly.
TW_INLINE Floats reciprocal_root_of_magnitude(Floats magnitude) {
    // z is the result over the root of two: the steps then need no half of x, which could be a denormal.
    Floats z = floats_of(0x5f375a86 - (ints_of(magnitude) >> 1)) * 0.707106781f;
    z = z * (1.5f - magnitude * z * z);
    z = z * (1.5f - magnitude * z * z);
    z = z * (1.5f - magnitude * z * z);
    return z * 1.41421356f;
}
TW_INLINE Floats reciprocal_square_root(Floats x) {
    Floats magnitude = absolute(x);
    Floats y = reciprocal_root_of_magnitude(magnitude);
    y = y + 0.5f * y * (1.0f - magnitude * y * y);
    y = select(x == 0.0f, kInfinity, y);
    y = select(x == kInfinity, 0.0f, y);
    return select((x < 0.0f) | is_nan(x), kNan, y);
}
TW_INLINE Floats square_root(Floats x) {
    Floats y = reciprocal_root_of_magnitude(absolute(x));
    Floats root = x * y;
    // Not from x - root * root: that square can be a denormal although x is not.
    root = root + 0.5f * root * (1.0f - root * y);
    root = select((x == 0.0f) | (x == kInfinity), x, root);
    return select((x < 0.0f) | is_nan(x), kNan, root);
}

TW_INLINE Floats tanh(Floats x) {
    Floats a = absolute(x);
    Floats t = expm1(2.0f * select(a > 10.0f, 10.0f, a));
    return select(is_nan(x), x, with_sign_of(t / (t + 2.0f), x));
}

TW_INLINE Floats sigmoid(Floats x) { return 1.0f / (1.0f + exp(-x)); }

// erf(x) for |x| <= 1.
TW_INLINE Floats erf_small(Floats x) {
    return x * polynomial(
                   x * x,
                   1.128379167f,
                   -0.3761263847f,
                   0.112837825f,
                   -0.02686543073f,
                   0.005221031808f,
                   -0.0008484080406f,
                   0.0001126595903f,
                   -9.667044571e-6f);
}
// exp(-a*a) with the rounding of the square put back in: a has up to 24 bits, its upper 12 square exactly.
TW_INLINE Floats exp_of_minus_square(Floats a) {
    Floats high = floats_of(words_of(a) & 0xfffff000u);
    Floats low_part = (a - high) * (a + high);
    return exp(-high * high) * exp_polynomial(-low_part);
}
// erfc(z) exp(z^2) (1 + z/2) for z in [0, 10], t = 1 / (1 + z/2).
TW_INLINE Floats erfc_series(Floats t) {
    return polynomial(
        t,
        0.2820998703f,
        0.2819394156f,
        0.2489348099f,
        0.1596956169f,
        0.1690662739f,
        -0.303151928f,
        0.6682857832f,
        -1.25948593f,
        1.304067596f,
        -0.7582560686f,
        0.2390425364f,
        -0.0322379764f);
}
// erfc(z) for 1 <= z <= 10; 0 beyond.
TW_INLINE Floats erfc_tail(Floats z) {
    Floats t = 1.0f / (1.0f + 0.5f * z);
    return select(z > 10.0f, 0.0f, exp_of_minus_square(z) * t * erfc_series(t));
}
TW_INLINE Floats erf(Floats x) {
    Floats a = absolute(x);
    Floats result = select(a < 1.0f, erf_small(x), with_sign_of(1.0f - erfc_tail(a), x));
    return select(is_nan(x), x, result);
}
TW_INLINE Floats erfc(Floats x) {
    Floats a = absolute(x);
    Floats tail = erfc_tail(a);
    Floats result = select(a < 1.0f, 1.0f - erf_small(x), select(x < 0.0f, 2.0f - tail, tail));
    return select(is_nan(x), x, result);
}
// The normal distribution function: the probability of being below x.
TW_INLINE Floats normal_cdf(Floats x) {
    constexpr float kRootHalf = 0.707106781f;
    Floats z = absolute(x) * kRootHalf;
    // Squaring x itself, not the rounded z, keeps the far tail exact.
    Floats high = floats_of(words_of(x) & 0xfffff000u);
    Floats low_part = (x - high) * (x + high);
    Floats t = 1.0f / (1.0f + 0.5f * z);
    Floats tail = 0.5f * exp(-0.5f * high * high) * exp_polynomial(-0.5f * low_part) * t * erfc_series(t);
    tail = select(z > 10.0f, 0.0f, tail);
    Floats near = 0.5f + 0.5f * erf_small(x * kRootHalf);
    // Below -0.5 the sum would cancel.
    return select((z < 1.0f) & (x > -0.5f), near, select(x < 0.0f, tail, 1.0f - tail));
}

TW_INLINE Floats truncate(Floats x) {
    Floats whole = to_floats(__builtin_convertvector(x, Ints));
    // Beyond 2^23 a float has no fraction (and may not fit an integer).
    return select(absolute(x) < 8388608.0f, with_sign_of(whole, x), x);
}
TW_INLINE Floats floor(Floats x) {
    Floats whole = truncate(x);
    return select(whole > x, whole - 1.0f, whole);
}
TW_INLINE Floats ceil(Floats x) {
    Floats whole = truncate(x);
    return select(whole < x, whole + 1.0f, whole);
}
TW_INLINE Floats round_half_even(Floats x) {
    Floats a = absolute(x);
    return select(a < 8388608.0f, with_sign_of((a + 8388608.0f) - 8388608.0f, x), x);
}

}  // namespace tw::sfpu
