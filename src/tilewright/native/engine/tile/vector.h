// SPDX-License-Identifier: Apache-2.0
// Vectors of the widest register the target has. A face row (16 data) is 1, 2 or 4 of them; results never depend on
// the width.
#pragma once

#if defined(TW_EVERY_VARIANT)
#error "this depends on the processor: take the folder that includes it out of SHARED_FOLDERS in CMakeLists.txt"
#endif

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__AVX2__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tw {

#if defined(__AVX512F__)
inline constexpr uint32_t kLanes = 16;
#elif defined(__AVX__)
inline constexpr uint32_t kLanes = 8;
#else
inline constexpr uint32_t kLanes = 4;
#endif
inline constexpr uint32_t kRowVectors = 16 / kLanes;

typedef float VectorF __attribute__((vector_size(kLanes * 4)));
typedef uint32_t VectorU __attribute__((vector_size(kLanes * 4)));
typedef int32_t VectorI __attribute__((vector_size(kLanes * 4)));
typedef uint16_t VectorH __attribute__((vector_size(kLanes * 2)));
typedef uint8_t VectorB __attribute__((vector_size(kLanes)));

template <class Vector>
inline Vector load(const void* address) {
    Vector value;
    std::memcpy(&value, address, sizeof value);
    return value;
}

template <class Vector>
inline void store(void* address, Vector value) {
    std::memcpy(address, &value, sizeof value);
}

inline VectorF splat(float value) { return value - VectorF{}; }
inline VectorU splat_bits(uint32_t value) { return value - VectorU{}; }

inline VectorU bits_of(VectorF value) { return reinterpret_cast<VectorU>(value); }
inline VectorF floats_of(VectorU bits) { return reinterpret_cast<VectorF>(bits); }
inline VectorI signed_of(VectorU bits) { return reinterpret_cast<VectorI>(bits); }

inline VectorU widen_bfloat16(const uint16_t* data) {
#if defined(__AVX512BW__)
    // One permutation instead of widening and shifting: half i becomes the upper half of word i.
    const __m512i upper = _mm512_slli_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 16);
    const __m512i halves = _mm512_castsi256_si512(load<__m256i>(data));
    return reinterpret_cast<VectorU>(_mm512_maskz_permutexvar_epi16(0xaaaaaaaau, upper, halves));
#elif defined(__AVX512F__)
    return reinterpret_cast<VectorU>(_mm512_maskz_cvtepu16_epi32(0xffff, load<__m256i>(data))) << 16;
#elif defined(__AVX2__)
    return reinterpret_cast<VectorU>(_mm256_cvtepu16_epi32(load<__m128i>(data))) << 16;
#else
    return __builtin_convertvector(load<VectorH>(data), VectorU) << 16;
#endif
}

#if defined(__AVX512F__)
// Every 16th word of 64.
inline __m128i gather_four(const uint32_t* words) {
    const auto word = [words](uint32_t row) { return _mm_loadu_si32(words + row * 16); };
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(word(0), word(1)), _mm_unpacklo_epi32(word(2), word(3)));
}
#endif

// Every 16th word: the first of kLanes face rows.
inline VectorU gather_column(const uint32_t* words) {
#if defined(__AVX512F__)
    // Loads and shuffles take half the time of the instruction that gathers.
    const auto eight = [](const uint32_t* from) {
        return _mm256_inserti128_si256(_mm256_castsi128_si256(gather_four(from)), gather_four(from + 64), 1);
    };
    return reinterpret_cast<VectorU>(_mm512_inserti64x4(_mm512_castsi256_si512(eight(words)), eight(words + 128), 1));
#else
    VectorU values;
    for (uint32_t row = 0; row < kLanes; row++) {
        values[row] = words[row * 16];
    }
    return values;
#endif
}

inline VectorU widen_bytes(const uint8_t* data) {
#if defined(__AVX512F__)
    return reinterpret_cast<VectorU>(_mm512_maskz_cvtepu8_epi32(0xffff, load<__m128i>(data)));
#elif defined(__AVX2__)
    return reinterpret_cast<VectorU>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(data))));
#else
    return __builtin_convertvector(load<VectorB>(data), VectorU);
#endif
}

// The low halves of a vector's words.
inline void store_halves(uint8_t* data, VectorU value) {
#if defined(__AVX512F__)
    store(data, _mm512_maskz_cvtepi32_epi16(0xffff, reinterpret_cast<__m512i>(value)));
#else
    store(data, __builtin_convertvector(value, VectorH));
#endif
}

// The upper halves of two vectors' words, one behind the other.
inline void store_upper_halves(uint8_t* data, VectorU first, VectorU second) {
#if defined(__AVX512BW__)
    alignas(64) static constexpr uint16_t kUpper[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                                        33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    const __m512i halves = _mm512_permutex2var_epi16(
        reinterpret_cast<__m512i>(first), load<__m512i>(kUpper), reinterpret_cast<__m512i>(second));
    store(data, halves);
#else
    store_halves(data, first >> 16);
    store_halves(data + 2 * kLanes, second >> 16);
#endif
}

inline void store_bytes(uint8_t* data, VectorU value) {
#if defined(__AVX512F__)
    store(data, _mm512_maskz_cvtepi32_epi8(0xffff, reinterpret_cast<__m512i>(value)));
#else
    store(data, __builtin_convertvector(value, VectorB));
#endif
}

// a * b + c. Whether it is fused does not show: products of Src parts always fit a float exactly.
inline VectorF multiply_add(VectorF a, VectorF b, VectorF c) {
#if defined(__AVX512F__)
    return reinterpret_cast<VectorF>(
        _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#elif defined(__AVX__) && defined(__FMA__)
    return reinterpret_cast<VectorF>(
        _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#elif defined(__aarch64__)
    return reinterpret_cast<VectorF>(vfmaq_f32(
        reinterpret_cast<float32x4_t>(c), reinterpret_cast<float32x4_t>(a), reinterpret_cast<float32x4_t>(b)));
#else
    return a * b + c;
#endif
}

inline VectorU larger(VectorU a, VectorU b) {
#if defined(__AVX512F__)
    return reinterpret_cast<VectorU>(_mm512_max_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
    return reinterpret_cast<VectorU>(_mm256_max_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
    return a > b ? a : b;
#endif
}

// The larger of two magnitudes; with a NaN, either of the two.
inline VectorF larger_magnitude(VectorF a, VectorF b) {
#if defined(__AVX512DQ__)
    constexpr int kLargerMagnitude = 3, kWithoutSign = 2 << 2;
    return reinterpret_cast<VectorF>(
        _mm512_range_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), kLargerMagnitude | kWithoutSign));
#else
    return floats_of(larger(bits_of(a) & 0x7fffffffu, bits_of(b) & 0x7fffffffu));
#endif
}

inline VectorF floor_of(VectorF value) {
#if defined(__AVX512F__)
    constexpr int kDownInPlace = 1;
    return reinterpret_cast<VectorF>(_mm512_roundscale_ps(reinterpret_cast<__m512>(value), kDownInPlace));
#elif defined(__AVX__)
    return reinterpret_cast<VectorF>(_mm256_floor_ps(reinterpret_cast<__m256>(value)));
#elif defined(__aarch64__)
    return reinterpret_cast<VectorF>(vrndmq_f32(reinterpret_cast<float32x4_t>(value)));
#else
    for (uint32_t lane = 0; lane < kLanes; lane++) {
        value[lane] = __builtin_floorf(value[lane]);
    }
    return value;
#endif
}

// Whether any lane has one of the bits in mask.
inline bool any_set(VectorU value, uint32_t mask) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(value), reinterpret_cast<__m512i>(splat_bits(mask))) != 0;
#else
    uint32_t any = 0;
    for (uint32_t lane = 0; lane < kLanes; lane++) {
        any |= value[lane];
    }
    return (any & mask) != 0;
#endif
}

inline bool any_nan(VectorF a, VectorF b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), _CMP_UNORD_Q) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps(_mm256_cmp_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), _CMP_UNORD_Q)) !=
           0;
#else
    return any_set(reinterpret_cast<VectorU>((a != a) | (b != b)), ~0u);
#endif
}

// Lanes [0, Half) of each block of 2 * Half lanes from a then b (Upper = 0), or the other half (Upper = Half).
template <uint32_t Half, uint32_t Upper, class Vector, uint32_t... Lane>
inline Vector pick_halves(Vector a, Vector b, std::integer_sequence<uint32_t, Lane...>) {
    constexpr uint32_t kBlock = 2 * Half;
    return __builtin_shufflevector(
        a, b, (Lane / kBlock * kBlock + Lane % Half + Upper + (Lane % kBlock >= Half ? kLanes : 0))...);
}

// Folds kLanes vectors to one: lane i of the result is op over all lanes of rows[i], taken as a tree that halves.
template <class Vector, class Op>
inline Vector fold_rows(const Vector* rows, Op op) {
    using Lanes = std::make_integer_sequence<uint32_t, kLanes>;
    const auto fold = [&op]<uint32_t Half>(Vector a, Vector b, std::integral_constant<uint32_t, Half>) {
        return op(pick_halves<Half, 0>(a, b, Lanes{}), pick_halves<Half, Half>(a, b, Lanes{}));
    };
    if constexpr (kLanes == 16) {
        Vector by8[8], by4[4], by2[2];
        for (uint32_t i = 0; i < 8; i++) {
            by8[i] = fold(rows[i], rows[i + 8], std::integral_constant<uint32_t, 8>{});
        }
        for (uint32_t i = 0; i < 4; i++) {
            by4[i] = fold(by8[i], by8[i + 4], std::integral_constant<uint32_t, 4>{});
        }
        for (uint32_t i = 0; i < 2; i++) {
            by2[i] = fold(by4[i], by4[i + 2], std::integral_constant<uint32_t, 2>{});
        }
        return fold(by2[0], by2[1], std::integral_constant<uint32_t, 1>{});
    } else if constexpr (kLanes == 8) {
        Vector by4[4], by2[2];
        for (uint32_t i = 0; i < 4; i++) {
            by4[i] = fold(rows[i], rows[i + 4], std::integral_constant<uint32_t, 4>{});
        }
        for (uint32_t i = 0; i < 2; i++) {
            by2[i] = fold(by4[i], by4[i + 2], std::integral_constant<uint32_t, 2>{});
        }
        return fold(by2[0], by2[1], std::integral_constant<uint32_t, 1>{});
    } else {
        const Vector first = fold(rows[0], rows[2], std::integral_constant<uint32_t, 2>{});
        const Vector second = fold(rows[1], rows[3], std::integral_constant<uint32_t, 2>{});
        return fold(first, second, std::integral_constant<uint32_t, 1>{});
    }
}

// Sums of neighbouring lanes: of each two lanes of a, then of b, in turns (Half = 1); of neighbouring pairs (2), fours (4).
template <uint32_t Half, class Vector>
inline Vector add_neighbours(Vector a, Vector b) {
    using Lanes = std::make_integer_sequence<uint32_t, kLanes>;
    return pick_halves<Half, 0>(a, b, Lanes{}) + pick_halves<Half, Half>(a, b, Lanes{});
}

// Lane 4 * k + i of the result is the sum of the k-th four lanes of vector i.
template <class Vector>
inline Vector add_up_fours(const Vector* v) {
    return add_neighbours<2>(add_neighbours<1>(v[0], v[1]), add_neighbours<1>(v[2], v[3]));
}

// Even and odd halves of each word, bfloat16s, added up.
inline VectorF sum_of_halves(VectorU pairs) {
#if defined(__AVX512BF16__)
    const auto ones = reinterpret_cast<__m512bh>(splat_bits(0x3f803f80u));
    const auto sum = _mm512_dpbf16_ps(_mm512_setzero_ps(), reinterpret_cast<__m512bh>(pairs), ones);
    return reinterpret_cast<VectorF>(sum);
#else
    return floats_of(pairs << 16) + floats_of(pairs & 0xffff0000u);
#endif
}

// The first and the last 8 of 16 rows of 16 bfloat16 data added up, in the order of sum_row_halves.
template <class Vector>
    requires(sizeof(Vector) == 64)
inline void sum_bfloat16_groups(const uint16_t* rows, Vector& first, Vector& last) {
    Vector sums[2];
    for (uint32_t half = 0; half < 2; half++) {
        Vector pairs[4];  // of two rows each
        for (uint32_t i = 0; i < 4; i++) {
            pairs[i] = sum_of_halves(load<VectorU>(rows + (half * 4 + i) * 32));
        }
        sums[half] = add_up_fours(pairs);
    }
    first = __builtin_shufflevector(sums[0], sums[1], 0, 8, 1, 9, 2, 10, 3, 11, 16, 24, 17, 25, 18, 26, 19, 27);
    last = __builtin_shufflevector(sums[0], sums[1], 4, 12, 5, 13, 6, 14, 7, 15, 20, 28, 21, 29, 22, 30, 23, 31);
}

// The kRowVectors vectors of a face row put together by op, in halves.
template <class Vector, class Op>
inline Vector fold_vectors(Vector* vectors, Op op) {
    for (uint32_t count = kRowVectors; count > 1; count /= 2) {
        for (uint32_t i = 0; i < count / 2; i++) {
            vectors[i] = op(vectors[i], vectors[i + count / 2]);
        }
    }
    return vectors[0];
}

// Sums of the first and the last 8 data of kLanes face rows, neighbours first, then pairs, then fours: lane i of each
// result is of rows[i].
template <class Vector>
inline void sum_row_halves(const Vector (*rows)[kRowVectors], Vector& first, Vector& last) {
    if constexpr (kLanes == 4) {
        Vector fours[kRowVectors];
        for (uint32_t i = 0; i < kRowVectors; i++) {
            const Vector column[4] = {rows[0][i], rows[1][i], rows[2][i], rows[3][i]};
            fours[i] = add_up_fours(column);
        }
        first = fours[0] + fours[1];
        last = fours[2] + fours[3];
    } else {
        // Of eight rows: with 16 lanes their first halves, then their last.
        const auto add_up = [rows](uint32_t row, uint32_t i) {
            Vector v[8];
            for (uint32_t r = 0; r < 8; r++) {
                v[r] = rows[row + r][i];
            }
            return add_neighbours<4>(add_up_fours(v), add_up_fours(v + 4));
        };
        if constexpr (kLanes == 8) {
            first = add_up(0, 0);
            last = add_up(0, 1);
        } else {
            using Lanes = std::make_integer_sequence<uint32_t, kLanes>;
            const Vector upper = add_up(0, 0), lower = add_up(8, 0);
            first = pick_halves<8, 0>(upper, lower, Lanes{});
            last = pick_halves<8, 8>(upper, lower, Lanes{});
        }
    }
}

}  // namespace tw
