// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two or three float tiles.
#include <cmath>

#include "apply.h"
#include "functions.h"

namespace tw::sfpu {

// --- arithmetic; sums round only where the kernel requests it ---
TW_BINARY_ARITHMETIC(Add, Truncate, a + b)
TW_BINARY_ARITHMETIC(Sub, Truncate, a - b)
TW_BINARY_ARITHMETIC(Rsub, Truncate, b - a)
TW_BINARY_ARITHMETIC(AddRounded, NearestEven, a + b)
TW_BINARY_ARITHMETIC(SubRounded, NearestEven, a - b)
TW_BINARY_ARITHMETIC(RsubRounded, NearestEven, b - a)
TW_BINARY(Max, Truncate, larger(a, b))
TW_BINARY(Min, Truncate, smaller(a, b))

void binary_Mul(const Call& call) {
    if (call.fp32_dest) {
        return map_arithmetic<Rounding::NearestEven>(
            call, [](Floats a, Floats b, const Parameters&) -> Floats { return a * b; });
    }
    // With 16-bit DST zero times anything is zero.
    map_floats_in<Rounding::NearestEven, false>(call, [](Floats a, Floats b, const Parameters&) -> Floats {
        return select((a == 0.0f) | (b == 0.0f), 0.0f, a * b);
    });
}

TW_INLINE Floats quotient(Floats a, Floats b) {
    Floats by_zero = select(a == 0.0f, kNan, with_sign_of(all(kInfinity), a));
    return select(b == 0.0f, by_zero, a / b);
}
TW_BINARY(Div, NearestEven, quotient(a, b))

TW_BINARY_DOUBLE(Power, Nearest, std::pow(a, b))
TW_BINARY_DOUBLE(Fmod, Nearest, std::fmod(a, b))
TW_BINARY_DOUBLE(Atan2, Nearest, std::atan2(a, b))

TW_BINARY_DOUBLE(Remainder, Nearest, floored_remainder(a, b))

// --- comparisons ---
#define TW_TEST(name, condition) TW_BINARY(name, Truncate, select(condition, 1.0f, 0.0f))
TW_TEST(Equal, a == b)
TW_TEST(NotEqual, a != b)
TW_TEST(Less, a < b)
TW_TEST(Greater, a > b)
TW_TEST(LessEqual, a <= b)
TW_TEST(GreaterEqual, a >= b)

// p.f0 relative, p.f1 absolute tolerance. Infinities are close only to themselves.
TW_INLINE Ints is_close(Floats a, Floats b, const Parameters& p) {
    Ints near = absolute(a - b) <= p.f1 + p.f0 * absolute(b);
    Ints both_finite = (absolute(a) < kInfinity) & (absolute(b) < kInfinity);
    return (both_finite & near) | (~both_finite & (a == b));
}
TW_TEST(Isclose, is_close(a, b, p))
TW_TEST(IscloseEqualNan, is_close(a, b, p) | (is_nan(a) & is_nan(b)))

// One step of `ulp` in the bit pattern of a towards b.
TW_INLINE Floats next_after(Floats a, Floats b, int32_t ulp) {
    Ints away_from_zero = (a < b) == (a > 0.0f);
    Ints step = select(away_from_zero, all(ulp), all(-ulp));
    Floats result = floats_of(ints_of(a) + step);
    result = select(a == 0.0f, with_sign_of(floats_of(all(ulp)), b), result);
    result = select(a == b, b, result);
    return select(is_nan(a) | is_nan(b), kNan, result);
}
TW_BINARY(Nextafter, Truncate, next_after(a, b, 1))
TW_BINARY(NextafterBfloat16, Truncate, next_after(a, b, 0x10000))

// --- logarithms and exponentials of two ---
TW_BINARY(Xlogy, Truncate, (a * log(b)))

TW_INLINE Floats log_add_exp(Floats a, Floats b) {
    Floats top = select(a > b, a, b);
    return select(a == b, a + kLn2, top + log1p(exp(-absolute(a - b))));
}
TW_BINARY(Logaddexp, Nearest, log_add_exp(a, b))

TW_INLINE Floats log_add_exp2(Floats a, Floats b) {
    Floats top = select(a > b, a, b);
    return select(a == b, a + 1.0f, top + kLog2E * log1p(exp2(-absolute(a - b))));
}
TW_BINARY(Logaddexp2, Nearest, log_add_exp2(a, b))

// b is exp(-a); for large a it is the whole result.
TW_BINARY(Logsigmoid, Truncate, select(a > 4.0f, -b, select(a < 0.0f, a, 0.0f) - log1p(exp(-absolute(a)))))

// --- gated activations: a is the gate, b the other half ---
TW_BINARY(SituGlu, Nearest, 4.0f * tanh(0.25f * a) * sigmoid(a) * (25.0f * tanh(0.04f * b)))

TW_INLINE Floats clamped_silu_glu(Floats gate, Floats up) {
    gate = smaller(gate, all(10.0f));
    up = smaller(larger(up, all(-10.0f)), all(10.0f));
    return gate * sigmoid(gate) * up;
}
TW_BINARY(ClampedSiluGlu, Nearest, clamped_silu_glu(a, b))

// Stirling's series of log gamma for z = a, or 1 - a below one half; b is log(z).
static double lgamma_from_log(double in, double log_z) {
    double z = in < 0.5 ? 1 - in : in;
    if (std::fabs(z - 0.5) < 0.01) {
        return 0.57236494;
    }
    if (std::fabs(z - 1) <= 0.25 || std::fabs(z - 2) <= 0.25) {
        return std::lgamma(z);
    }
    double u = 1 / (z * z);
    double correction = 1 / 12.0 - u * (1 / 360.0 - u * (1 / 1260.0 - u / 1680.0));
    return (z - 0.5) * log_z - z + 0.9189385332046727 + correction / z;
}
TW_BINARY_DOUBLE(LgammaStirling, Truncate, lgamma_from_log(a, b))

// --- three tiles ---
TW_TERNARY_ARITHMETIC(MultiplyAdd, Nearest, (a * b + c))
TW_TERNARY(Lerp, NearestEven, a + c * (b - a))
TW_TERNARY(Addcdiv, NearestEven, a + p.f0 * b / c)

void ternary_Addcmul(const Call& call) {
    const auto map = [&call](auto function) {
        call.repeats != 0 ? map_repeated_rows(call, function) : map_arithmetic<Rounding::Nearest>(call, function);
    };
    if (call.parameters.f0 == 1.0f) {
        if (call.repeats == 0 && call.in[1] == call.in[2]) {  // a sum of squares
            return map_arithmetic<Rounding::Nearest>(
                call, [](Floats a, Floats b, const Parameters&) TW_LAMBDA_INLINE -> Floats { return a + b * b; });
        }
        return map(
            [](Floats a, Floats b, Floats c, const Parameters&) TW_LAMBDA_INLINE -> Floats { return a + b * c; });
    }
    map([](Floats a, Floats b, Floats c, const Parameters& p) TW_LAMBDA_INLINE -> Floats { return a + p.f0 * b * c; });
}

void ternary_Where(const Call& call) {
    // The condition is tested as a bit pattern, so -0.0 counts as true.
    for_each_vector(call, [&](uint32_t i) {
        Ints is_false = bits_as<Ints>(load(call.in[0] + i) == 0u);
        store(call.out + i, select(is_false, load(call.in[2] + i), load(call.in[1] + i)));
    });
}

void ternary_SnakeBeta(const Call& call) {
    for_each_vector(call, [&](uint32_t i) {
        Floats result{};
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            double x = as_float(call.in[0][i + lane]), alpha = as_float(call.in[1][i + lane]);
            double sine = std::sin(alpha * x);
            result[lane] = static_cast<float>(x + sine * sine / double(as_float(call.in[2][i + lane])));
        }
        store(
            call.out + i,
            call.fp32_dest ? to_dest<Rounding::Nearest, true>(result) : to_dest<Rounding::Nearest, false>(result));
    });
}

// a: Stirling's value, b: log|sin(pi x)|, c: x. Below one half the reflection formula applies.
void ternary_LgammaAdjusted(const Call& call) {
    if (call.fp32_dest) {
        return map_floats_in<Rounding::Nearest, true>(
            call, [](Floats a, Floats b, Floats c, const Parameters&) -> Floats {
                Floats result = select(c < 0.5f, (1.1447298858f - b) - a, a);
                return select(absolute(c) == kInfinity, kInfinity, result);
            });
    }
    map_floats_in<Rounding::Nearest, false>(call, [](Floats a, Floats b, Floats c, const Parameters&) -> Floats {
        return select(c < 0.5f, (1.1447298858f - b) - a, a);
    });
}

}  // namespace tw::sfpu
