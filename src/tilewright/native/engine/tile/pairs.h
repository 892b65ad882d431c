// SPDX-License-Identifier: Apache-2.0
// Tiles of bfloat16s as pairs, for processors that multiply pairs in one instruction: the parts that each fidelity
// phase uses.
#pragma once

#include "compute_state.h"
#include "numerics.h"

namespace tw {

// 16-bit DST uses such instructions where the processor has them: parts of operands have at most 7 bits, and the
// instruction adds the two products one after the other, the second of the pair first, each sum rounded. Other
// implementations keep that order.
#if defined(__AVX512BF16__)
inline constexpr bool kHasPairs = true;
#else
inline constexpr bool kHasPairs = false;
#endif

// Exponent bits of a tile's values. Zeros do not count for the smallest, and a power of two counts as just below
// itself.
struct Exponents {
    uint32_t smallest, largest;
};

// Two bfloat16s to a word: of in0 (side B) neighbours in a row, of in1 (side A) neighbours in a column, a quarter of each.
struct Pairs {
    alignas(64) uint32_t high[kTileElements / 2], low[kTileElements / 2];
    Exponents exponents;
    bool has_low;
};

#if defined(__AVX512BF16__)

// The smallest of 32 halves.
inline uint32_t smallest_half(__m512i halves) {
    const __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(halves), _mm512_extracti64x4_epi64(halves, 1));
    const __m128i quarter = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return _mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & 0xffff;
}

// SrcA's Low part of a bfloat16 is its last three bits: 1 to 7 times a 128th of its first one. By the last five bits: what
// to add to sign and exponent to get a quarter of that.
struct LowBits {
    alignas(64) uint16_t of[32];
    constexpr LowBits() : of{} {
        for (uint32_t i = 0; i < 32; i++) {
            const uint32_t bits = i & 7, place = bits >= 4 ? 2 : bits >= 2 ? 1 : 0;
            of[i] = static_cast<uint16_t>(((place - 7 - 2) << 7) + ((bits << 7 >> place) & 0x7f));
        }
    }
};

// Pairs of `count` bfloat16s in face order. Right only where the exponents are far from those of denormals and infinity.
template <Side S>
inline void fill_pairs(const uint16_t* halves, uint32_t count, Pairs& pairs) {
    // Row after row of 16 becomes pairs of the two in a column.
    alignas(64) static constexpr uint16_t kColumns[32] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                          8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    static constexpr LowBits kLowBits;
    constexpr auto kHigh = static_cast<short>(kHighMask<S> >> 16), kLow = static_cast<short>(~kHigh);
    const auto all = [](int bits) { return _mm512_set1_epi16(static_cast<short>(bits)); };
    const __m512i sign_and_exponent = all(0xff80), magnitude_mask = all(0x7fff);
    __m512i largest = _mm512_setzero_si512(), smallest = all(0xffff), any = largest;
    for (uint32_t i = 0; i < count; i += 32) {
        __m512i values = load<__m512i>(halves + i), high, low;
        if constexpr (S == Side::A) {
            values = _mm512_permutexvar_epi16(load<__m512i>(kColumns), values);
        }
        const __m512i magnitudes = _mm512_and_si512(values, magnitude_mask);
        any = _mm512_or_si512(any, values);
        largest = _mm512_max_epu16(largest, magnitudes);
        smallest = _mm512_min_epu16(smallest, _mm512_sub_epi16(magnitudes, all(1)));
        high = _mm512_and_si512(values, all(kHigh));
        const __m512i scale = _mm512_and_si512(values, sign_and_exponent);
        const __mmask32 has_low = _mm512_test_epi16_mask(values, all(kLow));
        if constexpr (S == Side::A) {
            high = _mm512_mask_sub_epi16(high, _mm512_test_epi16_mask(values, magnitude_mask), high, all(2 << 7));
            low = _mm512_maskz_add_epi16(has_low, scale, _mm512_permutexvar_epi16(values, load<__m512i>(kLowBits.of)));
        } else {
            low = _mm512_maskz_sub_epi16(has_low, scale, all(7 << 7));
        }
        store(pairs.high + i / 2, high);
        store(pairs.low + i / 2, low);
    }
    pairs.exponents = {smallest_half(smallest) >> 7, (0xffff - smallest_half(_mm512_xor_si512(largest, all(-1)))) >> 7};
    pairs.has_low = _mm512_test_epi16_mask(any, all(kLow)) != 0;
}

#endif

}  // namespace tw
