// SPDX-License-Identifier: Apache-2.0
// Products of tiles in 16-bit DST, on processors that multiply pairs of bfloat16s.
#pragma once

#include "numerics.h"
#include "pairs.h"

#if defined(__AVX512BF16__)

namespace tw {

// rounded_sum of sums that are given as quarters, in 12 instructions. The count matters, and so does the share of them
// that needs the multipliers.
//
// Let 2^E be the largest exponent among DST's and the quarters'. The last bit to keep of a quarter is the unit 2^(E - 12).
// - Adding half a unit rounds like `sum * units + 0.5` in rounded_sum, where all is scaled by a power of two.
// - 1.5 * 2^(E + 11) has the unit as its last bit, and keeps its exponent when a quarter is added or subtracted: an
//   addition that rounds down is the floor.
// - That number is added to one of the two floors and subtracted from the other, so their sum is exact.
// - DST's value is added to four times that sum, rounded once, as in rounded_sum.
// Where all three are zero, so is every result. The rest holds while nothing is denormal or infinite: see fits_quarters.
[[gnu::always_inline]] inline VectorF rounded_sum_of_quarters(VectorF held, VectorF first_group, VectorF second_group) {
    constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    const VectorF largest = larger_magnitude(larger_magnitude(first_group, second_group), held);
    const VectorU exponent = bits_of(largest) & kExponentMask;
    const auto shift = reinterpret_cast<__m512>(exponent + ((11u << 23) | 0x00400000u));
    const VectorF half_of_it = splat(0x1p-13f);
    const auto first = reinterpret_cast<__m512>(multiply_add(floats_of(exponent), half_of_it, first_group));
    const auto second = reinterpret_cast<__m512>(multiply_add(floats_of(exponent), half_of_it, second_group));
    const __m512 sum = _mm512_add_round_ps(first, shift, kDown) + _mm512_sub_round_ps(second, shift, kDown);
    return rounded_to_bfloat16(multiply_add(reinterpret_cast<VectorF>(sum), splat(4.0f), held));
}

// Whether the sums of a product of two tiles can be computed as quarters. With the smallest exponents adding up to at
// least -69, and at most 7 bits after the first one in each value, a quarter of a sum is zero or at least 2^-85. Half a
// unit is then a normal number. So is a quarter minus half a unit, up to its last bit, because the quarter is as large
// as the half. With the largest exponents adding up to at most 100, and 2^100 in DST, nothing comes near infinity.
inline bool fits_quarters(Exponents a, Exponents b, const uint32_t* held, uint32_t faces) {
    constexpr uint32_t kBias = 127, kLeast = kBias - 100, kMost = kBias + 100;
    const auto fits = [](Exponents of) { return of.smallest >= kLeast && of.largest <= kMost; };
    VectorF largest[4] = {};
    for (uint32_t i = 0; i < faces * 16; i += 4) {
#pragma GCC unroll 4
        for (uint32_t row = 0; row < 4; row++) {
            largest[row] = larger_magnitude(largest[row], load<VectorF>(held + (i + row) * 16));
        }
    }
    const VectorF of_all =
        larger_magnitude(larger_magnitude(largest[0], largest[1]), larger_magnitude(largest[2], largest[3]));
    return fits(a) && fits(b) && a.smallest + b.smallest >= 2 * kBias - 69 &&
           a.largest + b.largest <= 2 * kBias + 100 && !any_set(reinterpret_cast<VectorU>(of_all >= 0x1p100f), ~0u);
}

// Faces of pairs to multiply: b (16 x 8), and a (8 x 16) divided by four. Pointers to the tile's first face.
struct PairStep {
    const uint32_t *b, *a;
};

// Products of some rows of a face. The sums of one step are rounded between the multiplications of the next, and DST's
// values stay in registers for all steps.
class PairProducts {
public:
    static constexpr uint32_t kPairs = 8;  // of a row
    static constexpr uint32_t kFacePairs = 16 * kPairs;
    // Few enough that the sums of two steps and DST's values stay in registers, and one row is rounded after each
    // multiplication of two rows of a.
    static constexpr uint32_t kRows = kPairs / 2;

    [[gnu::always_inline]] void begin(const uint32_t* b, const uint32_t* a, const uint32_t* held) {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kRows; i++) {
            kept_[i] = load<VectorF>(held + i * 16);
            sums_.add(b, a, i);
        }
    }
    [[gnu::always_inline]] void step(const uint32_t* b, const uint32_t* a) {
        Sums next;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kRows; i++) {
            next.add(b, a, i);
            kept_[i] = rounded(i);
        }
        sums_ = next;
    }
    // The first step of the rows that follow in DST.
    [[gnu::always_inline]] void step_to_next_rows(const uint32_t* b, const uint32_t* a, uint32_t* held) {
        Sums next;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kRows; i++) {
            next.add(b, a, i);
            store(held + i * 16, bits_of(without_denormals(rounded(i))));
            kept_[i] = load<VectorF>(held + (kRows + i) * 16);
        }
        sums_ = next;
    }
    [[gnu::always_inline]] void finish(uint32_t* held) const {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < kRows; i++) {
            store(held + i * 16, bits_of(without_denormals(rounded(i))));
        }
    }

private:
    // Quarters of sums of 8 products each.
    struct Sums {
        VectorF early[kRows], late[kRows];

        // Adds products of pair k of the first 8 and of the last 8.
        [[gnu::always_inline]] void add(const uint32_t* b, const uint32_t* a, uint32_t k) {
            const uint32_t late_k = k + kPairs / 2;
            const auto early_row = load<VectorU>(a + k * 16), late_row = load<VectorU>(a + late_k * 16);
#pragma GCC unroll 4
            for (uint32_t r = 0; r < kRows; r++) {
                if (k == 0) {
                    early[r] = late[r] = VectorF{};
                }
                add_products(early[r], early_row, b + r * kPairs + k);
                add_products(late[r], late_row, b + r * kPairs + late_k);
            }
        }
        // The compiler's intrinsic would load the pair into a register, at the cost of one more instruction.
        [[gnu::always_inline]] static void add_products(VectorF& sums, VectorU row, const uint32_t* pair) {
            asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(sums) : "v"(row), "m"(*pair));
        }
    };

    [[gnu::always_inline]] VectorF rounded(uint32_t row) const {
        return rounded_sum_of_quarters(kept_[row], sums_.early[row], sums_.late[row]);
    }

    VectorF kept_[kRows];
    Sums sums_;
};

// held (m x n faces) += the products of the steps, one by one.
inline void add_products_of_pairs(
    const PairStep* steps,
    uint32_t count,
    uint32_t m_faces,
    uint32_t k_faces,
    uint32_t n_faces,
    uint32_t* __restrict held) {
    constexpr uint32_t kRows = PairProducts::kRows, kGroups = 16 / kRows;  // of rows in a face
    PairProducts products;
    products.begin(steps[0].b, steps[0].a, held);
    uint32_t b = 0, a = 0;
    for (uint32_t group = 1;; group++, held += kRows * 16) {
        for (uint32_t step = 1; step < count; step++) {
            products.step(steps[step].b + b, steps[step].a + a);
        }
        if (group == m_faces * n_faces * kGroups) {
            break;
        }
        const uint32_t face = group / kGroups;
        b = face / n_faces * k_faces * PairProducts::kFacePairs + group % kGroups * kRows * PairProducts::kPairs;
        a = face % n_faces * PairProducts::kFacePairs;
        products.step_to_next_rows(steps[0].b + b, steps[0].a + a, held);
    }
    products.finish(held);
}

}  // namespace tw

#endif
