// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of one float tile that kernels call most.
#include "apply.h"
#include "functions.h"

namespace tw::sfpu {

// --- exponentials, logarithms, roots ---
TW_UNARY(Exp, Nearest, exp(x))
TW_UNARY(ExpScaled, Nearest, exp((x * p.f0)))
TW_UNARY(Exp2, Nearest, exp2(x))
TW_UNARY(Expm1, Nearest, expm1(x))
TW_UNARY(Log, Nearest, log(x))
// For base two only the fraction's logarithm is scaled, so that powers of two come out whole.
TW_INLINE Floats log_with_base(Floats x, const Parameters& p) {
    if (p.word[1] == 0) {
        return log(x) * p.f0;
    }
    const LogParts parts = log_reduce(x);
    return log_special_cases(x, parts.exponent + log1p_of_fraction(parts.fraction) * p.f0);
}
TW_UNARY(LogWithBase, Nearest, log_with_base(x, p))
TW_UNARY(Log1p, Nearest, log1p(x))
TW_UNARY(Reciprocal, Nearest, 1.0f / x)
TW_UNARY(Sqrt, Nearest, square_root(x))
TW_UNARY(Rsqrt, Nearest, reciprocal_square_root(x))

// The scale of the approximate exponential belongs to its init call. No init call: no scale.
void unary_ExpApproximate(const Call& call) {
    Call scaled = call;
    uint32_t bits = constant(kExpScale);
    scaled.parameters.f0 = bits == 0 ? 1.0f : as_float(bits);
    unary_ExpScaled(scaled);
}

// --- activations ---
TW_UNARY(Tanh, Nearest, tanh(x))
TW_UNARY(Sigmoid, Nearest, sigmoid(x))
TW_UNARY(Silu, Nearest, x / (1.0f + exp(-x)))
TW_UNARY(Gelu, Nearest, (x * normal_cdf(x)))
// 0.5 (1 + tanh(u)) is sigmoid(2u).
TW_UNARY(GeluTanh, Nearest, x / (1.0f + exp(-1.595769122f * (x + 0.044715f * x * x * x))))
TW_UNARY(GeluDerivative, Nearest, normal_cdf(x) + 0.3989422804f * x * exp(-0.5f * x * x))

TW_UNARY(Erf, Truncate, erf(x))
TW_UNARY(Erfc, Truncate, erfc(x))

TW_INLINE Floats sech_squared(Floats x) {
    Floats e = exp(-2.0f * absolute(x));
    return 4.0f * e / ((1.0f + e) * (1.0f + e));
}
TW_UNARY(TanhDerivative, Nearest, sech_squared(x))

TW_INLINE Floats mish(Floats x) {
    Floats u = exp(select(x > 20.0f, 20.0f, x));
    Floats n = u * (u + 2.0f);
    return select(x > 20.0f, x, x * (n / (n + 2.0f)));
}
TW_UNARY(Mish, Nearest, mish(x))
TW_UNARY(Hardmish, Truncate, (x * smaller(larger(x * 0.5f + 1.0f, all(0.0f)), all(1.0f))))

TW_INLINE Floats relu_up_to(Floats x, float limit) {
    x = select(x > limit, limit, x);
    return select(x < 0.0f, 0.0f, x);
}
TW_UNARY(Hardsigmoid, Truncate, relu_up_to(x * 0.1666666716f + 0.5f, 1.0f))
TW_UNARY(Softsign, Truncate, x / (1.0f + absolute(x)))
TW_UNARY(Celu, Nearest, select(x >= 0.0f, x, (p.f0 * expm1((p.f1 * x)))))
TW_UNARY(Elu, Nearest, select(x >= 0.0f, x, (p.f0 * expm1(x))))
TW_UNARY(Selu, Nearest, select(x >= 0.0f, (p.f0 * x), (p.f0 * p.f1 * expm1(x))))

TW_INLINE Floats softplus(Floats x, float beta, float beta_reciprocal, float threshold) {
    Floats t = beta * x;
    Floats above_zero = select(t > 0.0f, t, 0.0f);
    return select(t <= threshold, beta_reciprocal * (above_zero + log1p(exp(-absolute(t)))), x);
}
TW_UNARY(Softplus, Nearest, softplus(x, p.f0, p.f1, p.f2))
TW_UNARY(Softshrink, Truncate, x - smaller(larger(x, all(-p.f0)), all(p.f0)))
TW_UNARY(Hardshrink, Truncate, select(absolute(x) <= p.f0, 0.0f, x))
TW_UNARY(Clamp, Truncate, smaller(larger(x, all(p.f0)), all(p.f1)))
TW_UNARY(Softcap, Nearest, (p.f0 * tanh((x * p.f1))))

// expm1(x) - x for x <= 0 without losing the small difference near zero.
TW_INLINE Floats expm1_minus_x(Floats x) {
    Floats near = x * x * polynomial(x, 0.5f, 1 / 6.0f, 1 / 24.0f, 1 / 120.0f, 1 / 720.0f, 1 / 5040.0f, 1 / 40320.0f);
    Floats result = select(x > -0.5f, near, expm1(x) - x);
    return select(x >= -1e-6f, -9.999995427e-7f - x, result);
}
TW_UNARY(Xielu, Nearest, 0.5f * x + select(x > 0.0f, p.f0 * x * x, (p.f1 * expm1_minus_x(x))))
TW_UNARY(Prelu, Truncate, select(x < 0.0f, (x * p.f0), x))
TW_UNARY(ReluMin, Truncate, larger(x, all(p.f0)))
TW_UNARY(ReluMax, Truncate, relu_up_to(x, p.f0))
TW_UNARY(Threshold, Truncate, select(x <= p.f0, p.f1, x))
TW_UNARY(Heaviside, Truncate, select(x == 0.0f, p.f0, with_sign_of(all(0.5f), x) + 0.5f))

// --- sign, rounding, copies ---
TW_UNARY_ARITHMETIC(Square, NearestEven, (x * x))
TW_UNARY(Abs, Truncate, absolute(x))
TW_UNARY(Negative, Truncate, -x)
TW_UNARY(Sign, Truncate, select(x == 0.0f, 0.0f, with_sign_of(all(1.0f), x)))
TW_UNARY(Signbit, Truncate, select(ints_of(x) < 0, 1.0f, 0.0f))
TW_UNARY(Identity, Truncate, x)
TW_UNARY(Floor, Truncate, floor(x))
TW_UNARY(Ceil, Truncate, ceil(x))
TW_UNARY(Trunc, Truncate, truncate(x))
TW_UNARY(Frac, Truncate, x - truncate(x))

void unary_Fill(const Call& call) {
    uint32_t word = stored(call.parameters.f0);
    map_integers<uint32_t>(call, [word](uint32_t, const Parameters&) { return word; });
}

void unary_Round(const Call& call) {
    Call scaled = call;
    int32_t decimals = static_cast<int32_t>(call.parameters.word[0]);
    float scale = decimals > 38 ? kInfinity : static_cast<float>(__builtin_pow(10.0, decimals));
    scaled.parameters.f0 = scale;
    scaled.parameters.f1 = static_cast<float>(__builtin_pow(10.0, -decimals));
    map_floats<Rounding::Truncate>(
        scaled, [](Floats x, const Parameters& p) -> Floats { return p.f1 * round_half_even(x * p.f0); });
}

// --- with a scalar ---
TW_UNARY_ARITHMETIC(AddScalar, Truncate, x + p.f0)
TW_UNARY_ARITHMETIC(SubScalar, Truncate, x - p.f0)
TW_UNARY_ARITHMETIC(MulScalar, Truncate, (x * p.f0))
TW_UNARY_ARITHMETIC(DivScalar, Truncate, (x * p.f0))  // the host hands over the reciprocal
TW_UNARY_ARITHMETIC(RsubScalar, NearestEven, p.f0 - x)
TW_UNARY(MaxScalar, Truncate, larger(x, all(p.f0)))
TW_UNARY(MinScalar, Truncate, smaller(x, all(p.f0)))

// In 16-bit DST the reciprocal is a bfloat16 before the scalar is multiplied by it.
template <class Round>
void divide_scalar(const Call& call, Round round) {
    if (call.fp32_dest) {
        return map_floats_in<Rounding::Truncate, true>(
            call, [&](Floats x, const Parameters& p) TW_LAMBDA_INLINE -> Floats { return round(p.f0 / x); });
    }
    map_floats_in<Rounding::Truncate, false>(call, [&](Floats x, const Parameters& p) TW_LAMBDA_INLINE -> Floats {
        return round(p.f0 * floats_of(to_dest<Rounding::Nearest, false>(1.0f / x)));
    });
}

void unary_Rdiv(const Call& call) {
    enum : uint32_t { kTrunc = 1, kFloor = 2 };  // values of RoundingMode
    switch (call.parameters.word[1]) {
        case kTrunc: return divide_scalar(call, [](Floats x) TW_LAMBDA_INLINE { return truncate(x); });
        case kFloor: return divide_scalar(call, [](Floats x) TW_LAMBDA_INLINE { return floor(x); });
        default: return divide_scalar(call, [](Floats x) TW_LAMBDA_INLINE { return x; });
    }
}

TW_INLINE Floats power_by_squaring(Floats x, uint32_t exponent) {
    if (exponent == 0) {
        return all(1.0f);
    }
    Floats result = x;
    for (uint32_t left = exponent - 1; left > 0; left >>= 1) {
        if (left & 1) {
            result *= x;
        }
        x *= x;
    }
    return result;
}
TW_UNARY(PowerIterative, Truncate, power_by_squaring(x, p.word[0]))

// --- comparisons ---
#define TW_TEST(name, condition) TW_UNARY(name, Truncate, select(condition, 1.0f, 0.0f))
// By their bits: 16-bit integers in a 16-bit DST are tested with these too.
TW_TEST(EqualZero, (words_of(x) << 1) == 0u)
TW_TEST(NotEqualZero, (words_of(x) << 1) != 0u)
TW_TEST(LessZero, x < 0.0f)
TW_TEST(GreaterZero, x > 0.0f)
TW_TEST(LessEqualZero, x <= 0.0f)
TW_TEST(GreaterEqualZero, x >= 0.0f)
TW_TEST(EqualScalar, x == p.f0)
TW_TEST(NotEqualScalar, x != p.f0)
TW_TEST(LessScalar, x < p.f0)
TW_TEST(GreaterScalar, x > p.f0)
TW_TEST(LessEqualScalar, x <= p.f0)
TW_TEST(GreaterEqualScalar, x >= p.f0)
TW_TEST(IsInf, absolute(x) == kInfinity)
TW_TEST(IsPosInf, x == kInfinity)
TW_TEST(IsNegInf, x == -kInfinity)
TW_TEST(IsNan, x != x)
TW_TEST(IsFinite, absolute(x) < kInfinity)
TW_TEST(LogicalNot, x == 0.0f)

// Pairs of neighbouring columns are complex numbers: times i.
void unary_AltComplexRotate90(const Call& call) {
    for (uint32_t i = 0; i < kTileElements; i += 2) {
        uint32_t real = call.in[0][i];
        call.out[i] = call.in[0][i + 1] ^ kSignBit;
        call.out[i + 1] = real;
    }
}

// Every face multiplies its eight vectors into each other, and then into the first vector of the next face (for
// the last face: of the next tile), as the hardware's loop does.
void unary_TiledProduct(const Call& call) {
    ComputeState& state = compute_state();
    const uint32_t* end_of_dst = state.dst[state.dst_capacity() - 1] + kTileElements;
    if (call.out + kTileElements < end_of_dst) {
        dst_words(state, static_cast<uint32_t>((call.out - state.dst[0]) / kTileElements) + 1);
    }
    for (uint32_t face = 0; face < 4; ++face) {
        for (uint32_t lane = 0; lane < 32; ++lane) {
            float product = 1.0f;
            for (uint32_t vector = 0; vector < 9; ++vector) {
                uint32_t* word = call.out + face * kFaceElements + vector / 2 * 64 + raw_element(lane) + vector % 2;
                if (word < end_of_dst) {
                    product *= as_float(*word);
                    *word = stored(product);
                }
            }
        }
    }
}

}  // namespace tw::sfpu
