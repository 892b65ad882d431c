// SPDX-License-Identifier: Apache-2.0
// Functions of one float tile that are rare enough to be computed one by one in double precision.
#include <cmath>

#include "apply.h"

namespace tw::sfpu {
namespace {

constexpr double kPi = 3.14159265358979323846;

double bessel_i(double x, int order) {
    if (std::fabs(x) > 100.0) {
        return order == 1 && x < 0 ? -HUGE_VAL : HUGE_VAL;
    }
    // All terms have one sign: the power series is exact enough for any x that does not overflow float.
    double quarter_square = x * x / 4, term = order == 0 ? 1.0 : x / 2, sum = term;
    for (int k = 1; k < 400 && std::fabs(term) > std::fabs(sum) * 1e-17; ++k) {
        term *= quarter_square / (double(k) * (k + order));
        sum += term;
    }
    return sum;
}

double digamma(double x) {
    if (x <= 0 && x == std::floor(x)) {
        return std::nan("");
    }
    if (x < 0) {
        return digamma(1 - x) - kPi / std::tan(kPi * x);
    }
    double sum = 0;
    for (; x < 8; x += 1) {
        sum -= 1 / x;
    }
    double u = 1 / (x * x);
    double series = 1 / 12.0 - u * (1 / 120.0 - u * (1 / 252.0 - u * (1 / 240.0 - u / 132.0)));
    return sum + std::log(x) - 0.5 / x - u * series;
}

// scale * zeta(n + 1, x), the polygamma function when scale is (-1)^(n+1) n!: some terms, then Euler-Maclaurin.
double polygamma(double x, double n, double scale) {
    double sum = 0;
    for (int k = 0; k < 12; ++k) {
        sum += std::pow(x + k, -(n + 1));
    }
    double z = x + 12, u = 1 / (z * z);
    double third = (n + 1) * (n + 2) * (n + 3), fifth = third * (n + 4) * (n + 5);
    double tail = 1 / n + 0.5 / z + u * ((n + 1) / 12 - u * (third / 720 - u * fifth / 30240));
    return scale * (sum + tail * std::pow(z, -n));
}

double erfinv(double x) {
    if (std::fabs(x) >= 1) {
        return std::fabs(x) == 1 ? std::copysign(HUGE_VAL, x) : std::nan("");
    }
    if (x == 0) {
        return x;
    }
    // Winitzki's guess, then Newton-Halley steps on erf.
    double l = std::log1p(-x * x), t = 2 / (kPi * 0.147) + l / 2;
    double y = std::copysign(std::sqrt(std::sqrt(t * t - l / 0.147) - t), x);
    for (int step = 0; step < 3; ++step) {
        // Near one the complement has the digits, near zero the function itself.
        double beyond = (1 - std::fabs(x)) - std::erfc(std::fabs(y));
        double error = std::fabs(x) < 0.5 ? std::erf(y) - x : x < 0 ? -beyond : beyond;
        double u = error / (2 / std::sqrt(kPi) * std::exp(-y * y));
        y -= u / (1 + y * u);
    }
    return y;
}

double tanhshrink(double x) {
    if (std::fabs(x) < 0.02) {
        return x * x * x * (1 / 3.0 - x * x * (2 / 15.0 - x * x * (17 / 315.0)));
    }
    return x - std::tanh(x);
}

double power(double base, double exponent) {
    // A zero base with a negative exponent is NaN on the hardware, not infinity.
    return base == 0 && exponent < 0 ? std::nan("") : std::pow(base, exponent);
}

// log gamma of z, or of 1 - z below one half; lgamma_adjusted completes the reflection.
double reflected_lgamma(double x) { return std::lgamma(x < 0.5 ? 1 - x : x); }

// sin and cos share one range reduction: good for |x| < 2^22 quarter turns, libm beyond.
struct QuarterTurns {
    double remainder;
    int64_t quadrant;
};
TW_INLINE QuarterTurns quarter_turns(double x) {
    constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: its low bits count whole numbers
    double shifted = x * (2 / kPi) + kMagic;
    double n = shifted - kMagic;
    double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
    return {r, std::bit_cast<int64_t>(shifted)};
}
TW_INLINE double sin_in_quadrant(double r, int64_t quadrant) {
    double u = r * r;
    double s = 2.755527189e-6 + u * -2.475655877e-8;
    s = r * (1 + u * (-0.1666666667 + u * (0.008333333324 + u * (-0.000198412633 + u * s))));
    double c = 2.479892876e-5 + u * -2.717342984e-7;
    c = 1 + u * (-0.5 + u * (0.04166666654 + u * (-0.001388888039 + u * c)));
    double value = (quadrant & 1) ? c : s;
    return (quadrant & 2) ? -value : value;
}

template <int first_quadrant, class Exact>
void sine_tile(const Call& call, Exact exact) {
    float result[kTileElements];
    uint32_t largest = 0;
    for (uint32_t i = 0; i < kTileElements; ++i) {
        float x = as_float(call.in[0][i]);
        QuarterTurns turns = quarter_turns(x);
        result[i] = static_cast<float>(sin_in_quadrant(turns.remainder, turns.quadrant + first_quadrant));
        uint32_t magnitude = call.in[0][i] & 0x7fffffffu;
        largest = magnitude > largest ? magnitude : largest;
    }
    if (largest > as_bits(1048576.0f)) {
        for (uint32_t i = 0; i < kTileElements; ++i) {
            result[i] = static_cast<float>(exact(double(as_float(call.in[0][i]))));
        }
    }
    Call from_result = call;
    uint32_t words[kTileElements];
    std::memcpy(words, result, sizeof(words));
    from_result.in[0] = words;
    map_floats<Rounding::Nearest>(from_result, [](Floats x, const Parameters&) -> Floats { return x; });
}

}  // namespace

void unary_Sin(const Call& call) {
    sine_tile<0>(call, [](double x) { return std::sin(x); });
}
void unary_Cos(const Call& call) {
    sine_tile<1>(call, [](double x) { return std::cos(x); });
}
TW_UNARY_DOUBLE(Tan, Nearest, std::tan(x))
TW_UNARY_DOUBLE(Asin, Nearest, std::asin(x))
TW_UNARY_DOUBLE(Acos, Nearest, std::acos(x))
TW_UNARY_DOUBLE(Atan, Nearest, std::atan(x))
TW_UNARY_DOUBLE(Sinh, Nearest, std::sinh(x))
TW_UNARY_DOUBLE(Cosh, Nearest, std::cosh(x))
TW_UNARY_DOUBLE(Asinh, Nearest, std::asinh(x))
TW_UNARY_DOUBLE(Acosh, Nearest, std::acosh(x))
TW_UNARY_DOUBLE(Atanh, Nearest, std::atanh(x))
TW_UNARY_DOUBLE(Cbrt, Nearest, std::cbrt(x))
TW_UNARY_DOUBLE(Tanhshrink, Nearest, tanhshrink(x))
TW_UNARY_DOUBLE(Erfinv, Truncate, erfinv(x))
TW_UNARY_DOUBLE(BesselI0, Truncate, bessel_i(x, 0))
TW_UNARY_DOUBLE(BesselI1, Nearest, bessel_i(x, 1))
TW_UNARY_DOUBLE(Digamma, Truncate, digamma(x))
TW_UNARY_DOUBLE(Polygamma, Nearest, polygamma(x, double(p.f0), double(p.f1)))
TW_UNARY_DOUBLE(LgammaStirling, Nearest, reflected_lgamma(x))
TW_UNARY_DOUBLE(Power, Nearest, power(x, double(p.f0)))
TW_UNARY_DOUBLE(Rpow, Nearest, std::pow(double(p.f0), x))

// Divisor and its reciprocal come from the init call.
void unary_Fmod(const Call& call) {
    const double divisor = as_float(constant(kConstant0));
    map_doubles<Rounding::Truncate>(call, [=](double x, const Parameters&) { return std::fmod(x, divisor); });
}
void unary_Remainder(const Call& call) {
    const double divisor = as_float(constant(kConstant0));
    map_doubles<Rounding::Truncate>(call, [=](double x, const Parameters&) { return floored_remainder(x, divisor); });
}

}  // namespace tw::sfpu
