// SPDX-License-Identifier: Apache-2.0
// Short vectors of lanes, as wide as the host's own registers, written with the compiler's vector types so that
// the same source runs on x86 and aarch64 without a vector maths library.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define TW_INLINE inline __attribute__((always_inline))
#define TW_LAMBDA_INLINE __attribute__((always_inline))

// An element-wise loop may write the tile it reads, but only ever the same element.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // some of those loops (gcd) cannot be vectorised, and need not be
#define TW_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define TW_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace tw::sfpu {

#if defined(__AVX512F__)
inline constexpr uint32_t kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr uint32_t kVectorBytes = 32;
#else
inline constexpr uint32_t kVectorBytes = 16;
#endif
inline constexpr uint32_t kLanes = kVectorBytes / 4;

typedef float Floats __attribute__((vector_size(kVectorBytes)));
typedef int32_t Ints __attribute__((vector_size(kVectorBytes)));
typedef uint32_t Words __attribute__((vector_size(kVectorBytes)));

template <class To, class From>
TW_INLINE To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    __builtin_memcpy(&result, &value, sizeof(result));
    return result;
}

TW_INLINE Words words_of(Floats x) { return bits_as<Words>(x); }
TW_INLINE Ints ints_of(Floats x) { return bits_as<Ints>(x); }
TW_INLINE Floats floats_of(Words x) { return bits_as<Floats>(x); }
TW_INLINE Floats floats_of(Ints x) { return bits_as<Floats>(x); }

TW_INLINE Floats all(float x) { return x - Floats{}; }  // x - 0 keeps the sign of zero
TW_INLINE Ints all(int32_t x) { return x + Ints{}; }
TW_INLINE Words all(uint32_t x) { return x + Words{}; }

TW_INLINE Floats select(Ints mask, Floats yes, Floats no) { return mask ? yes : no; }
TW_INLINE Floats select(Ints mask, float yes, Floats no) { return mask ? all(yes) : no; }
TW_INLINE Floats select(Ints mask, Floats yes, float no) { return mask ? yes : all(no); }
TW_INLINE Floats select(Ints mask, float yes, float no) { return mask ? all(yes) : all(no); }
TW_INLINE Words select(Ints mask, Words yes, Words no) { return mask ? yes : no; }
TW_INLINE Ints select(Ints mask, Ints yes, Ints no) { return mask ? yes : no; }

inline constexpr uint32_t kSignBit = 0x80000000u;
inline constexpr uint32_t kExponentBits = 0x7f800000u;

TW_INLINE Floats absolute(Floats x) { return floats_of(words_of(x) & ~kSignBit); }
TW_INLINE Floats with_sign_of(Floats magnitude, Floats sign) {
    return floats_of((words_of(magnitude) & ~kSignBit) | (words_of(sign) & kSignBit));
}
TW_INLINE Ints is_nan(Floats x) { return x != x; }
// The order SFPSWAP compares in: sign and magnitude, so -0 < +0 and a NaN lies outside the infinities.
TW_INLINE Ints order_key(Floats x) {
    Ints bits = ints_of(x);
    return bits ^ bits_as<Ints>((bits_as<Words>(bits >> 31)) >> 1);
}
TW_INLINE Floats larger(Floats a, Floats b) { return select(order_key(a) > order_key(b), a, b); }
TW_INLINE Floats smaller(Floats a, Floats b) { return select(order_key(a) < order_key(b), a, b); }

TW_INLINE Words load(const uint32_t* from) {
    Words result;
    __builtin_memcpy(&result, from, sizeof(result));
    return result;
}
TW_INLINE void store(uint32_t* to, Words value) { __builtin_memcpy(to, &value, sizeof(value)); }

// Rounding of a float that is stored to 16-bit DST. Most kernels round in the vector unit before they store; the others
// leave it to the store, which truncates.
enum class Rounding : uint8_t { Nearest, NearestEven, Truncate };

TW_INLINE Words flush_denormals(Words x) {
#if defined(__AVX512F__)
    const __m512i bits = bits_as<__m512i>(x), sign = bits_as<__m512i>(all(kSignBit));
    const __mmask16 is_small = _mm512_testn_epi32_mask(bits, bits_as<__m512i>(all(kExponentBits)));
    return bits_as<Words>(_mm512_mask_and_epi32(bits, is_small, bits, sign));
#else
    return select(bits_as<Ints>((x & kExponentBits) == 0u), x & kSignBit, x);
#endif
}

template <Rounding rounding>
TW_INLINE Words to_bfloat16(Words x) {
    x = flush_denormals(x);
    // NaNs need no special case: those made by arithmetic have no low bits that could carry into the sign.
    if constexpr (rounding == Rounding::Nearest) {
        x += 0x8000u;
    } else if constexpr (rounding == Rounding::NearestEven) {
        x += 0x7fffu + ((x >> 16) & 1u);
    }
    return x & 0xffff0000u;
}

template <Rounding rounding, bool fp32_dest>
TW_INLINE Words to_dest(Floats x) {
    if constexpr (fp32_dest) {
        return flush_denormals(words_of(x));
    } else {
        return to_bfloat16<rounding>(words_of(x));
    }
}

// 16-bit DST never holds a denormal, so only 32-bit data need the check.
template <bool fp32_dest>
TW_INLINE Floats from_dest(const uint32_t* from) {
    Words x = load(from);
    return floats_of(fp32_dest ? flush_denormals(x) : x);
}

// Kernels run with denormals flushed by the processor: sums and products neither see nor make one.
#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool kProcessorFlushes = true;
#else
inline constexpr bool kProcessorFlushes = false;
#endif

}  // namespace tw::sfpu
