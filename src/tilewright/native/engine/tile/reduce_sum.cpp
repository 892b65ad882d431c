// SPDX-License-Identifier: Apache-2.0
// Sums along rows, columns or a whole tile, as the matrix unit adds them up (reduce.cpp has the algorithm).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reduction.h"

namespace tw {

namespace {

FaceRow row_of(const Operand& operand, uint32_t face, uint32_t row) {
    FaceRow result;
    with_reader(operand, [&](auto reader) {
        for (size_t i = 0; i < 16; i += kLanes) {
            store(result.values + i, reader.at(face * kFaceElements + row * 16 + i));
        }
    });
    return result;
}

template <Side S>
FaceRow part_of_row(const FaceRow& row, Part part) {
    FaceRow result;
    for (size_t i = 0; i < 16; i += kLanes) {
        const auto value = load<VectorF>(row.values + i);
        store(
            result.values + i,
            part == Part::High  ? part_of<S, Part::High>(value)
            : part == Part::Low ? part_of<S, Part::Low>(value)
                                : part_of<S, Part::Full>(value));
    }
    return result;
}

bool has_bits(const FaceRow& row, uint32_t mask) {
    VectorU any{};
    for (size_t i = 0; i < 16; i += kLanes) {
        any |= load<VectorU>(row.values + i);
    }
    return any_set(any, mask);
}

template <Side S>
bool has_low(const FaceRow& row) {
    return has_bits(row, kLowMask<S>);
}

bool is_zero(const FaceRow& row) { return !has_bits(row, kMagnitudeMask); }

// The matrix unit adds 16 products as two groups of 8.
struct GroupSums {
    FaceRow of[2];
};

// Kernels exclude padding with zeros in the scaler, and missing rows with zeros in the data. The other operand may hold
// anything: a card treats infinity and NaN as large numbers, and zero times one is zero.
inline VectorF product_of(VectorF value, VectorF scale) {
    const VectorF product = scale == 0.0f ? VectorF{} : value * scale;
    return value == 0.0f ? VectorF{} : product;
}

bool is_ones(const FaceRow& row) {
    VectorU any{};
    for (size_t i = 0; i < 16; i += kLanes) {
        any |= load<VectorU>(row.values + i) ^ std::bit_cast<uint32_t>(1.0f);
    }
    return !any_set(any, ~0u);
}

// sums[row] = sum of part(data[row][k]) * scale[k]
template <Part P, bool Ones, class Reader>
void sum_rows(Reader data, uint32_t face, const FaceRow& scale, GroupSums& sums) {
    if constexpr (kLanes == 16 && Ones && P == Part::Full && Reader::kIsBfloat16) {
        VectorF first, last;
        sum_bfloat16_groups(data.data + face * kFaceElements, first, last);
        store(sums.of[0].values, first);
        store(sums.of[1].values, last);
        return;
    }
    VectorF scales[kRowVectors];
    for (uint32_t i = 0; i < kRowVectors; i++) {
        scales[i] = load<VectorF>(scale.values + i * kLanes);
    }
    for (uint32_t first = 0; first < 16; first += kLanes) {
        VectorF products[kLanes][kRowVectors], groups[2];
        for (uint32_t row = 0; row < kLanes; row++) {
            for (uint32_t i = 0; i < kRowVectors; i++) {
                const size_t datum = face * kFaceElements + (first + row) * 16 + i * kLanes;
                constexpr bool kWhole = P == Part::Full && Reader::kIsBfloat16;
                const VectorF value = kWhole ? data.at(datum) : part_of<Side::B, P>(data.at(datum));
                products[row][i] = Ones ? value : product_of(value, scales[i]);
            }
        }
        sum_row_halves(products, groups[0], groups[1]);
        store(sums.of[0].values + first, groups[0]);
        store(sums.of[1].values + first, groups[1]);
    }
}

template <class Reader>
void sum_rows(Part part, Reader data, uint32_t face, const FaceRow& scale, GroupSums& sums) {
    const bool ones = is_ones(scale);
    const auto run = [&]<Part P>(std::integral_constant<Part, P>) {
        ones ? sum_rows<P, true>(data, face, scale, sums) : sum_rows<P, false>(data, face, scale, sums);
    };
    switch (part) {
        case Part::High: return run(std::integral_constant<Part, Part::High>{});
        case Part::Low: return run(std::integral_constant<Part, Part::Low>{});
        case Part::Full: return run(std::integral_constant<Part, Part::Full>{});
    }
}

template <bool Wide>
inline void add_to(FaceRow& held, const GroupSums& sums) {
    for (uint32_t i = 0; i < 16; i += kLanes) {
        const auto before = load<VectorF>(held.values + i);
        const auto first = load<VectorF>(sums.of[0].values + i), last = load<VectorF>(sums.of[1].values + i);
        store(held.values + i, accumulated<Wide>(before, first, last));
    }
}

void add_to(FaceRow& held, const GroupSums& sums, bool wide) {
    wide ? add_to<true>(held, sums) : add_to<false>(held, sums);
}

// Column `column` of the result, from row `column` of the scaler.
void sum_into_column(const Reduction& reduction, uint32_t column) {
    const uint32_t faces_per_row = reduction.faces_per_row();
    const bool full_tile = reduction.num_faces == 4;
    const auto scaler_face = [&](uint32_t face_row, uint32_t face_column) {
        return reduction.scaler_face(full_tile ? face_column : face_row * faces_per_row + face_column);
    };
    bool low = false;
    FaceRow scales[2][2], held[2];
    for (uint32_t row = 0; row < reduction.face_row_count(); row++) {
        for (uint32_t i = 0; i < faces_per_row; i++) {
            scales[row][i] = row_of(reduction.scaler, scaler_face(row, i), column);
            low |= has_low<Side::A>(scales[row][i]);
        }
        const uint32_t* words = reduction.words + row * faces_per_row * kFaceElements + column;
        for (uint32_t i = 0; i < 16; i++) {
            held[row].values[i] = std::bit_cast<float>(words[i * 16]);
        }
    }
    const Passes passes = reduction.passes(low, true);
    const auto run_pass = [&](Pass pass, uint32_t row, uint32_t i) {
        const FaceRow scale = part_of_row<Side::A>(scales[row][i], pass.a);
        GroupSums sums{};
        with_reader(
            reduction.data, [&](auto reader) { sum_rows(pass.b, reader, row * faces_per_row + i, scale, sums); });
        add_to(held[row], sums, reduction.wide());
    };
    if (full_tile) {  // the whole tile once per phase
        for (uint32_t p = 0; p < passes.count; p++) {
            for (uint32_t i = 0; i < 2; i++) {
                run_pass(passes.pass[p], 0, i);
                run_pass(passes.pass[p], 1, i);
            }
        }
    } else {  // all phases face by face
        for (uint32_t row = 0; row < reduction.face_row_count(); row++) {
            for (uint32_t i = 0; i < faces_per_row; i++) {
                for (uint32_t p = 0; p < passes.count; p++) {
                    run_pass(passes.pass[p], row, i);
                }
            }
        }
    }
    for (uint32_t row = 0; row < reduction.face_row_count(); row++) {
        uint32_t* words = reduction.words + row * faces_per_row * kFaceElements + column;
        for (uint32_t i = 0; i < reduction.face_rows(); i++) {
            words[i * 16] = std::bit_cast<uint32_t>(held[row].values[i]);
        }
    }
}

// Whether the scaler is zero below row 0 in the faces that a row sum multiplies by.
bool only_row_zero(const Reduction& reduction) {
    const uint32_t faces =
        std::min<uint32_t>(reduction.num_faces == 4 ? 2 : reduction.num_faces, reduction.scaler.geometry.num_faces);
    VectorU any{};
    if (const uint16_t* halves = reduction.scaler.halves) {
        for (uint32_t face = 0; face < faces; face++, halves += kFaceElements) {
            for (uint32_t i = 16; i < kFaceElements; i += 2 * kLanes) {  // the last two may overlap
                any |= load<VectorU>(halves + std::min(i, kFaceElements - 2 * kLanes));
            }
        }
        return !any_set(any, 0x7fff7fffu);
    }
    with_reader(reduction.scaler, [&](auto reader) {
        for (uint32_t face = 0; face < faces; face++) {
            for (uint32_t i = 16; i < kFaceElements; i += kLanes) {
                any |= bits_of(reader.at(face * kFaceElements + i));
            }
        }
    });
    return !any_set(any, kMagnitudeMask);
}

}  // namespace

bool sums_in_one_pass(const Reduction& reduction) {
    const Passes passes = reduction.passes(false, true);
    return passes.count == 1 && passes.pass[0].a == Part::Full && passes.pass[0].b == Part::Full;
}

bool multiplies_by_ones(const Reduction& reduction) {
    return is_ones(row_of(reduction.scaler, 0, 0)) && is_ones(row_of(reduction.scaler, 1, 0)) &&
           only_row_zero(reduction);
}

// Row sums of whole tiles with a scaler of ones, most often many into one slot: DST keeps them as a column.
void add_to_column(const Reduction& reduction, uint32_t* column) {
    static constexpr FaceRow kOnes = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
    with_reader(reduction.data, [&](auto reader) {
        for (uint32_t row = 0; row < 2; row++, column += 16) {
            FaceRow held;
            std::memcpy(held.values, column, sizeof held.values);
            for (uint32_t i = 0; i < 2; i++) {
                GroupSums sums;
                sum_rows<Part::Full, true>(reader, row * 2 + i, kOnes, sums);
                add_to<true>(held, sums);
            }
            std::memcpy(column, held.values, sizeof held.values);
        }
    });
}

void sum_along_rows(const Reduction& reduction) {
    sum_into_column(reduction, 0);
    if (only_row_zero(reduction)) [[likely]] {
        return;
    }
    for (uint32_t column = 1; column < 16; column++) {
        bool zero = true;
        for (uint32_t face = 0; face < reduction.num_faces; face++) {
            zero &= is_zero(row_of(reduction.scaler, reduction.scaler_face(face), column));
        }
        if (!zero) {
            sum_into_column(reduction, column);
        }
    }
}

namespace {

// sums[column] = sum of part(data[k][column]) * scale[k]
template <Part P, class Reader>
void sum_columns(Reader data, uint32_t face, uint32_t face_rows, const FaceRow& scale, GroupSums& sums) {
    for (uint32_t i = 0; i < kRowVectors; i++) {
        const size_t base = face * kFaceElements + i * kLanes;
        VectorF group[2] = {};
        for (uint32_t k = 0; k < face_rows; k++) {
            const float scale_of_row = scale.values[k];
            if (scale_of_row == 0.0f) {
                continue;
            }
            const VectorF value = part_of<Side::A, P>(data.at(base + k * 16));
            VectorF& sum = group[k / 8];
            sum = std::isfinite(scale_of_row) ? multiply_add(value, splat(scale_of_row), sum)
                                              : sum + product_of(value, splat(scale_of_row));
        }
        store(sums.of[0].values + i * kLanes, group[0]);
        store(sums.of[1].values + i * kLanes, group[1]);
    }
}

// Pools one face into a row of 16 results.
void pool_columns(const Reduction& reduction, uint32_t face, FaceRow& held) {
    const FaceRow scaler = row_of(reduction.scaler, reduction.scaler_face(face), 0);
    const Passes passes = reduction.passes(true, has_low<Side::B>(scaler));
    for (uint32_t p = 0; p < passes.count; p++) {
        const FaceRow scale = part_of_row<Side::B>(scaler, passes.pass[p].b);
        GroupSums sums{};
        with_reader(reduction.data, [&](auto reader) {
            switch (passes.pass[p].a) {
                case Part::High: sum_columns<Part::High>(reader, face, reduction.face_rows(), scale, sums); break;
                case Part::Low: sum_columns<Part::Low>(reader, face, reduction.face_rows(), scale, sums); break;
                case Part::Full: sum_columns<Part::Full>(reader, face, reduction.face_rows(), scale, sums); break;
            }
        });
        add_to(held, sums, reduction.wide());
    }
}

}  // namespace

void sum_along_columns(const Reduction& reduction) {
    for (uint32_t face = 0; face < reduction.num_faces; face++) {
        uint32_t* words = reduction.words + face % reduction.faces_per_row() * kFaceElements;
        FaceRow held;
        std::memcpy(held.values, words, sizeof held.values);
        pool_columns(reduction, face, held);
        std::memcpy(words, held.values, sizeof held.values);
    }
}

void pool_tile(const Reduction& reduction, FaceRow& pooled) {
    for (uint32_t face = 0; face < reduction.num_faces; face++) {
        pool_columns(reduction, face, pooled);
    }
}

// Transposes the row of column sums, pools it again and adds the result to the first element.
void add_pooled(const Reduction& reduction, const FaceRow& pooled) {
    const FaceRow scaler = row_of(reduction.scaler, reduction.scaler_face(reduction.num_faces - 1), 0);
    const Passes passes = reduction.passes(true, has_low<Side::B>(scaler));
    FaceRow held{};
    held.values[0] = std::bit_cast<float>(reduction.words[0]);
    for (uint32_t p = 0; p < passes.count; p++) {
        GroupSums sums{};
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t turned = std::bit_cast<uint32_t>(pooled.values[k]) & src_float_mask(reduction.state);
            const float value = part_of(Side::A, passes.pass[p].a, std::bit_cast<float>(turned));
            const float scale = part_of(Side::B, passes.pass[p].b, scaler.values[k]);
            sums.of[k / 8].values[0] += value == 0.0f || scale == 0.0f ? 0.0f : value * scale;
        }
        add_to(held, sums, reduction.wide());
    }
    reduction.words[0] = std::bit_cast<uint32_t>(held.values[0]);
}

void sum_whole_tile(const Reduction& reduction) {
    FaceRow pooled{};
    pool_tile(reduction, pooled);
    add_pooled(reduction, pooled);
}

}  // namespace tw
