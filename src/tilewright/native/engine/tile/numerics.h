// SPDX-License-Identifier: Apache-2.0
// Numbers in the matrix unit: operands cut into parts per fidelity phase, results rounded to DST's format.
#pragma once

#include "vector.h"

namespace tw {

inline constexpr uint32_t kExponentMask = 0x7f800000u;
inline constexpr uint32_t kMagnitudeMask = 0x7fffffffu;
inline constexpr uint32_t kSmallestNormal = 0x00800000u;
inline constexpr uint32_t kTf32Mask = 0xffffe000u;
inline constexpr uint32_t kBfloat16Mask = 0xffff0000u;
inline constexpr uint32_t kMinusInfinity = 0xff800000u;

// Nearest bfloat16, ties away from zero, kept in the upper half; NaN stays NaN.
inline uint32_t round_to_bfloat16(uint32_t bits) {
    return (bits & kMagnitudeMask) > kExponentMask ? (bits | 0x00400000u) & kBfloat16Mask
                                                   : (bits + 0x8000u) & kBfloat16Mask;
}

// Flushes denormals, and gives zeros a positive sign.
inline VectorF without_denormals(VectorF value) {
#if defined(__x86_64__) || defined(__aarch64__)
    // Kernels run with denormals flushed by the processor, so adding zero does both.
    return value + splat(0.0f);
#else
    const VectorU bits = bits_of(value);
    return floats_of((bits & kExponentMask) != 0 ? bits : splat_bits(0));
#endif
}

// The value that DST stores of a result: 32-bit unchanged, 16-bit rounded to bfloat16; denormals become zero in both.
// The rounding cannot change a NaN into a number: with 16-bit DST every operand is a bfloat16, and so are the resulting
// NaNs.
template <bool Wide>
inline VectorU dst_bits(VectorF value) {
    if constexpr (!Wide) {
        value = floats_of((bits_of(value) + 0x8000u) & kBfloat16Mask);
    }
    return bits_of(without_denormals(value));
}

template <bool Wide>
inline VectorF as_in_dst(VectorF value) {
    return floats_of(dst_bits<Wide>(value));
}

// Rounding alone, between the phases of one product.
inline VectorF rounded_to_bfloat16(VectorF value) { return floats_of((bits_of(value) + 0x8000u) & kBfloat16Mask); }

// What a 16-bit DST holds after the sums of two groups of 8 products were added to it, but for a zero's sign.
//
// Before the sums of the two groups meet what is held, the three are put at one exponent, the largest among DST's and the
// products', and of each sum the bits past the eleventh are rounded off, halves up; only then is the total rounded to
// bfloat16. A long sum of positive numbers comes out too large by that: every eighth remainder is a tie by then, and ties
// go up. The largest product is taken to be two binary digits shorter than the sum of its eight.
inline VectorF rounded_sum(VectorF held, VectorF first_group, VectorF second_group) {
    constexpr uint32_t kKept = 10u << 23;  // bits after the first one of a sum, less the two
    constexpr uint32_t kDoubleBias = 254u << 23;
    const VectorF products = larger_magnitude(first_group, second_group) * splat(0.25f);
    const VectorU largest = bits_of(larger_magnitude(products, held)) & kExponentMask;
    const VectorU exponent = larger(largest, splat_bits(kKept + kSmallestNormal));  // the last bit is no denormal
    const VectorF units = floats_of(kDoubleBias + kKept - exponent);
    const VectorF first = floor_of(multiply_add(first_group, units, splat(0.5f)));
    const VectorF second = floor_of(multiply_add(second_group, units, splat(0.5f)));
    return rounded_to_bfloat16(multiply_add(first + second, floats_of(exponent - kKept), held));
}

// What DST keeps after the sums of two groups of 8 products were added to it.
template <bool Wide>
inline VectorF accumulated(VectorF held, VectorF first_group, VectorF second_group) {
    if constexpr (Wide) {
        return as_in_dst<true>(held + (first_group + second_group));
    } else {
        return without_denormals(rounded_sum(held, first_group, second_group));
    }
}

inline float as_in_dst(float value, bool wide) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    if (!wide) {
        bits = round_to_bfloat16(bits);
    }
    return (bits & kExponentMask) == 0 ? 0.0f : std::bit_cast<float>(bits);
}

// The multiplier takes 5 bits of SrcA and 7 of SrcB at a time. High: implicit one and the next 4 (SrcA) or 6 (SrcB).
// Low: the 5 (SrcA) or 4 (SrcB) bits after those. Full: both.
enum class Part : uint8_t { High, Low, Full };
enum class Side : uint8_t { A, B };

template <Side S>
inline constexpr uint32_t kHighMask = S == Side::A ? 0xfff80000u : 0xfffe0000u;
template <Side S>
inline constexpr uint32_t kFullMask = S == Side::A ? 0xffffc000u : kTf32Mask;
template <Side S>
inline constexpr uint32_t kLowMask = kFullMask<S> & ~kHighMask<S>;

template <Side S, Part P>
inline VectorF part_of(VectorF value) {
    const VectorU bits = bits_of(value);
    if constexpr (P == Part::High) {
        return floats_of(bits & kHighMask<S>);
    } else if constexpr (P == Part::Full) {
        return floats_of(bits & kFullMask<S>);
    } else {
        const VectorF low = floats_of(bits & kFullMask<S>) - floats_of(bits & kHighMask<S>);
        return (bits & kExponentMask) != kExponentMask ? low : VectorF{};  // infinity has no low part
    }
}

inline float part_of(Side side, Part part, float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const float high = std::bit_cast<float>(bits & (side == Side::A ? kHighMask<Side::A> : kHighMask<Side::B>));
    const float full = std::bit_cast<float>(bits & (side == Side::A ? kFullMask<Side::A> : kFullMask<Side::B>));
    if (part == Part::Low) {
        return (bits & kExponentMask) == kExponentMask ? 0.0f : full - high;
    }
    return part == Part::High ? high : full;
}

// One multiply-accumulate over the operands.
struct Pass {
    Part a, b;
};

struct Passes {
    Pass pass[4];
    uint32_t count;
};

// The passes of `phases` fidelity phases. 16-bit DST rounds after each phase, so each is a pass of its own; 32-bit DST
// keeps the sums exactly enough that phases sharing an operand part merge.
inline Passes passes_for(uint32_t phases, bool wide) {
    if (!wide) {
        return {
            {{Part::High, Part::High}, {Part::Low, Part::High}, {Part::High, Part::Low}, {Part::Low, Part::Low}},
            phases};
    }
    switch (phases) {
        case 1: return {{{Part::High, Part::High}}, 1};
        case 2: return {{{Part::Full, Part::High}}, 1};
        case 3: return {{{Part::Full, Part::High}, {Part::High, Part::Low}}, 2};
        default: return {{{Part::Full, Part::Full}}, 1};
    }
}

// Leaves out the passes that would multiply by parts that are zero everywhere.
inline Passes without_empty(Passes passes, bool a_has_low, bool b_has_low) {
    Passes kept{{}, 0};
    for (uint32_t i = 0; i < passes.count; i++) {
        const Pass pass = passes.pass[i];
        if ((pass.a == Part::Low && !a_has_low) || (pass.b == Part::Low && !b_has_low)) {
            continue;
        }
        kept.pass[kept.count++] = pass;
    }
    return kept;
}

// Order of the max pool: sign and magnitude, so that NaN is above infinity and -0 below 0.
inline VectorI order_key(VectorU bits) {
    const VectorI value = signed_of(bits);
    return value ^ ((value >> 31) & 0x7fffffff);
}
inline int32_t order_key(uint32_t bits) {
    const auto value = static_cast<int32_t>(bits);
    return value ^ ((value >> 31) & 0x7fffffff);
}
inline uint32_t bits_of_key(int32_t key) { return static_cast<uint32_t>(key ^ ((key >> 31) & 0x7fffffff)); }

}  // namespace tw
