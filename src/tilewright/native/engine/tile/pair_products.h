// SPDX-License-Identifier: Apache-2.0
// Products of faces in 16-bit DST, where the processor multiplies pairs of bfloat16s.
#pragma once

#include "numerics.h"

#if defined(__AVX512BF16__)

namespace tw {

// Faces of pairs to be multiplied: b (rows x 8), a (8 x 16).
struct PairStep {
    const uint32_t *b, *a;
};

// Sums of 8 products each, of some rows.
struct PairSums {
    static constexpr uint32_t kPairs = 8;  // of a row
    // So few that those of two steps and what is held stay in registers, and one to round after each product below.
    static constexpr uint32_t kRows = kPairs / 2;
    __m512 early[kRows], late[kRows];

    // Adds products of pair k of the first 8 and of the last 8.
    [[gnu::always_inline]] void add(const uint32_t* b, const uint32_t* a, uint32_t k) {
        const auto pair_row = [](const uint32_t* pairs) { return reinterpret_cast<__m512bh>(load<__m512i>(pairs)); };
        const auto pair = [](uint32_t bits) { return reinterpret_cast<__m512bh>(splat_bits(bits)); };
        const uint32_t late_k = k + kPairs / 2;
        const __m512bh early_row = pair_row(a + k * 16), late_row = pair_row(a + late_k * 16);
#pragma GCC unroll 4
        for (uint32_t r = 0; r < kRows; r++) {
            const __m512 zero = _mm512_setzero_ps();
            early[r] = _mm512_dpbf16_ps(k == 0 ? zero : early[r], early_row, pair(b[r * kPairs + k]));
            late[r] = _mm512_dpbf16_ps(k == 0 ? zero : late[r], late_row, pair(b[r * kPairs + late_k]));
        }
    }
    [[gnu::always_inline]] VectorF added_to(VectorF held, uint32_t row) const {
        return rounded_sum(held, reinterpret_cast<VectorF>(early[row]), reinterpret_cast<VectorF>(late[row]));
    }
};

// held (16 x 16) += the products of the steps, one by one, in 16-bit DST. Rounding takes the processor as long as
// multiplying and other units of it, so the sums of a step are rounded between the products of the next.
inline void add_products_of_pairs(const PairStep* steps, uint32_t count, uint32_t rows, uint32_t* __restrict held) {
    constexpr uint32_t kRows = PairSums::kRows, kPairs = PairSums::kPairs;
    for (uint32_t first = 0; first < rows; first += kRows, held += kRows * 16) {
        VectorF kept[kRows];
        PairSums sums;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kRows; i++) {
            kept[i] = load<VectorF>(held + i * 16);
            sums.add(steps[0].b + first * kPairs, steps[0].a, i);
        }
        for (uint32_t step = 1; step < count; step++) {
            PairSums next;
#pragma GCC unroll 4
            for (uint32_t i = 0; i < kRows; i++) {
                next.add(steps[step].b + first * kPairs, steps[step].a, i);
                kept[i] = sums.added_to(kept[i], i);
            }
            sums = next;
        }
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kRows; i++) {
            store(held + i * 16, bits_of(without_denormals(sums.added_to(kept[i], i))));
        }
    }
}

}  // namespace tw

#endif
