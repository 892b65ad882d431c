// SPDX-License-Identifier: Apache-2.0
// Sums, averages and maxima along rows, columns or a whole tile, with the scaler tile as the second operand.
//
// Row sums are a matrix product: data in SrcB, the scaler's rows (transposed) in SrcA, so column j of the result comes
// from row j of the scaler; usually only its row 0 is filled. Column sums are pooled: data in SrcA, row 0 of the
// scaler's face in SrcB. A whole-tile sum pools columns, turns the row of sums, pools again: the scaler applies twice.
// Maxima pool columns of SrcA (of the transposed face for rows); the running maxima of rows live in row 0 of the face.
#include "reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "check/compute/operands.h"
#include "deferred_dst.h"
#include "numerics.h"
#include "source.h"

namespace tw {

namespace {

struct Reduction {
    const ComputeState& state;
    const Operand& data;
    const Operand& scaler;
    uint32_t* words;
    bool fresh;  // DST was zero: for a maximum that is "nothing yet"
    uint32_t num_faces;

    uint32_t faces_per_row() const { return num_faces == 1 ? 1 : data.faces_per_row(); }
    uint32_t face_row_count() const { return (num_faces + faces_per_row() - 1) / faces_per_row(); }
    uint32_t face_rows() const { return data.geometry.face_rows; }
    uint32_t scaler_face(uint32_t face) const { return std::min<uint32_t>(face, scaler.geometry.num_faces - 1); }
    bool wide() const { return state.fp32_dest; }
    Passes passes(bool a_has_low, bool b_has_low) const {
        return without_empty(passes_for(state.fidelity, wide()), a_has_low, b_has_low);
    }
};

struct FaceRow {
    alignas(64) float values[16];
};

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

// Kernels shut padding out with zeros in the scaler, or rows that do not exist with zeros for data. Whatever the other
// operand holds: to a card infinity and NaN are just large numbers, and zero times one is zero.
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

// Whether the scaler has anything below row 0 in the faces a row sum multiplies by.
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

// Sums of the rows of whole tiles by a scaler of ones, most often many into one slot: DST keeps them as a column.
// False where the reduction is another.
bool added_to_column(const Reduction& reduction, uint32_t* column) {
    const FaceRow left = row_of(reduction.scaler, 0, 0), right = row_of(reduction.scaler, 1, 0);
    const Passes passes = reduction.passes(false, true);
    const bool is_plain = passes.count == 1 && passes.pass[0].a == Part::Full && passes.pass[0].b == Part::Full;
    if (!is_plain || !is_ones(left) || !is_ones(right) || !only_row_zero(reduction)) {
        return false;
    }
    with_reader(reduction.data, [&](auto reader) {
        for (uint32_t row = 0; row < 2; row++, column += 16) {
            FaceRow held;
            std::memcpy(held.values, column, sizeof held.values);
            for (uint32_t i = 0; i < 2; i++) {
                GroupSums sums;
                sum_rows<Part::Full, true>(reader, row * 2 + i, left, sums);
                add_to<true>(held, sums);
            }
            std::memcpy(column, held.values, sizeof held.values);
        }
    });
    return true;
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

// The row of column sums, turned and pooled again, is added to the first element.
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

struct Keys {
    alignas(64) int32_t values[16];
};

// An object, not a function: folds call it a hundred times a tile, and a pointer would not be inlined.
constexpr auto larger = [](VectorI a, VectorI b) { return a > b ? a : b; };

Keys nothing_yet() {
    Keys keys;
    std::fill_n(keys.values, 16, order_key(kMinusInfinity));
    return keys;
}

Keys keys_of(const uint32_t* words) {
    Keys keys;
    for (uint32_t i = 0; i < 16; i++) {
        keys.values[i] = order_key(words[i]);
    }
    return keys;
}

// The maximum is scaled by the scaler's first value after it was found.
Keys scaled(const Reduction& reduction, uint32_t face, const Keys& found) {
    Keys keys = found;
    const float scale = reduction.scaler.value(reduction.scaler_face(face) * kFaceElements);
    if (scale != 1.0f) {
        for (int32_t& key : keys.values) {
            const float value = std::bit_cast<float>(bits_of_key(key)) * scale;
            key = order_key(std::bit_cast<uint32_t>(as_in_dst(value, reduction.wide())));
        }
    }
    return keys;
}

void keep_larger(Keys& keys, const Keys& others) {
    for (uint32_t i = 0; i < 16; i++) {
        keys.values[i] = std::max(keys.values[i], others.values[i]);
    }
}

template <class Reader>
Keys row_maxima(Reader data, uint32_t face) {
    Keys result;
    for (uint32_t first = 0; first < 16; first += kLanes) {
        VectorI rows[kLanes];
        for (uint32_t row = 0; row < kLanes; row++) {
            VectorI keys[kRowVectors];
            for (uint32_t i = 0; i < kRowVectors; i++) {
                const size_t datum = face * kFaceElements + (first + row) * 16 + i * kLanes;
                keys[i] = order_key(bits_of(data.at(datum)));
            }
            rows[row] = fold_vectors(keys, larger);
        }
        store(result.values + first, fold_rows(rows, larger));
    }
    return result;
}

template <class Reader>
Keys column_maxima(Reader data, uint32_t face, uint32_t face_rows) {
    Keys result;
    for (uint32_t i = 0; i < kRowVectors; i++) {
        VectorI keys = order_key(splat_bits(kMinusInfinity));
        for (uint32_t row = 0; row < face_rows; row++) {
            keys = larger(keys, order_key(bits_of(data.at(face * kFaceElements + row * 16 + i * kLanes))));
        }
        store(result.values + i * kLanes, keys);
    }
    return result;
}

void max_along_rows(const Reduction& reduction) {
    const uint32_t faces_per_row = reduction.faces_per_row();
    for (uint32_t row = 0; row < reduction.face_row_count(); row++) {
        uint32_t* words = reduction.words + row * faces_per_row * kFaceElements;
        Keys keys = reduction.fresh ? nothing_yet() : keys_of(words);
        for (uint32_t i = 0; i < faces_per_row; i++) {
            const uint32_t face = row * faces_per_row + i;
            const Keys found = with_reader(reduction.data, [&](auto reader) { return row_maxima(reader, face); });
            keep_larger(keys, scaled(reduction, face, found));
        }
        if (reduction.fresh) {
            std::memset(words, 0, kFaceElements * 4);
        }
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t through_src = bits_of_key(keys.values[i]) & src_float_mask(reduction.state);
            words[i] = through_src;
            words[i * 16] = through_src;
        }
    }
}

void max_along_columns(const Reduction& reduction) {
    for (uint32_t face = 0; face < reduction.num_faces; face++) {
        uint32_t* words = reduction.words + face % reduction.faces_per_row() * kFaceElements;
        const bool first = reduction.fresh && face < reduction.faces_per_row();
        Keys keys = first ? nothing_yet() : keys_of(words);
        const Keys found = with_reader(
            reduction.data, [&](auto reader) { return column_maxima(reader, face, reduction.face_rows()); });
        keep_larger(keys, scaled(reduction, face, found));
        for (uint32_t i = 0; i < 16; i++) {
            words[i] = bits_of_key(keys.values[i]);
        }
    }
}

void max_of_whole_tile(const Reduction& reduction) {
    Keys keys = nothing_yet();
    for (uint32_t face = 0; face < reduction.num_faces; face++) {
        const Keys found = with_reader(
            reduction.data, [&](auto reader) { return column_maxima(reader, face, reduction.face_rows()); });
        keep_larger(keys, scaled(reduction, face, found));
    }
    int32_t largest = reduction.fresh ? order_key(kMinusInfinity) : order_key(reduction.words[0]);
    for (int32_t key : keys.values) {
        largest = std::max(largest, order_key(bits_of_key(key) & src_float_mask(reduction.state)));
    }
    reduction.words[0] = bits_of_key(largest);
}

// Whether the slot can hold nothing but a column after the sum of the tile's rows.
bool keeps_column(
    const ComputeState& state, const Operand& data, const Operand& scaler, uint32_t num_faces, uint32_t dst) {
    return num_faces == 4 && is_square_tile(data.geometry) && is_square_tile(scaler.geometry) && may_defer(state) &&
           (dst_reads_zero(state, dst) || dst_column_apart(state, dst));
}

}  // namespace

void reduce(
    ComputeState& state,
    Pool pool,
    ReduceAxis axis,
    const Operand& data,
    const TileTaint& data_taint,
    const Operand& scaler,
    const TileTaint& scaler_taint,
    uint32_t num_faces,
    uint32_t dst) {
    if (is_integer(data.format) || is_integer(scaler.format)) {
        kernel_error(
            "reduce_tile of %s data with a %s scaler is not modelled, only floats are",
            format_name(data.format),
            format_name(scaler.format));
    }
    check_slot(state, dst, "reduce_tile");
    note_dst_write(state, dst, true);
    taint_reduce(state, pool, axis, data, data_taint, scaler, scaler_taint, num_faces, dst);
    const bool maximum = pool == Pool::Max;
    if (axis == ReduceAxis::Row && !maximum && keeps_column(state, data, scaler, num_faces, dst)) {
        const Reduction reduction{state, data, scaler, nullptr, false, num_faces};
        if (added_to_column(reduction, dst_update_column(state, dst, "reduce_tile"))) {
            return;
        }
    }
    const bool fresh = dst_reads_zero(state, dst);
    uint32_t* words = dst_update(state, dst, "reduce_tile");
    const Reduction reduction{state, data, scaler, words, fresh, num_faces};
    switch (axis) {
        case ReduceAxis::Row: return maximum ? max_along_rows(reduction) : sum_along_rows(reduction);
        case ReduceAxis::Col: return maximum ? max_along_columns(reduction) : sum_along_columns(reduction);
        case ReduceAxis::Scalar: return maximum ? max_of_whole_tile(reduction) : sum_whole_tile(reduction);
    }
}

void check_pool(uint32_t pool, uint32_t axis) {
    if (static_cast<Pool>(pool) == Pool::Min || pool > static_cast<uint32_t>(Pool::Min)) {
        kernel_error(
            "reduce_tile: the matrix unit pools SUM, AVG and MAX only; take MIN as -MAX(-x) or with the vector unit");
    }
    if (axis > static_cast<uint32_t>(ReduceAxis::Scalar)) {
        kernel_error("reduce_tile: axis %u, but only 0 (row), 1 (column), 2 (scalar) exist", axis);
    }
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_reduce_tile(
    uint32_t pool, uint32_t axis, uint32_t cb, uint32_t cb_scaler, uint32_t tile, uint32_t tile_scaler, uint32_t dst) {
    check_pool(pool, axis);
    const uint32_t detail = reduce_detail(pool, axis);
    check_loops(
        started_state("reduce_tile"), {UnpackLoop::Reduce, detail, MathLoop::Reduce, detail}, cb, "reduce_tile");
    if (cb == kNoCb) [[unlikely]] {
        KernelInstance& instance = current_instance();
        if (!take_unpacked(instance)) {
            return;
        }
        const OperandTile taken = instance.sources->operand(0), scaler = instance.sources->operand(1);
        cb = taken.cb, tile = taken.tile, cb_scaler = scaler.cb, tile_scaler = scaler.tile;
    } else if (!begin_operation({{cb, tile}, {cb_scaler, tile_scaler}})) {
        return;
    }
    ComputeState& state = math_state("reduce_tile");
    // Only the row sum has the data in SrcB.
    const bool swapped = static_cast<ReduceAxis>(axis) == ReduceAxis::Row && static_cast<Pool>(pool) != Pool::Max;
    alignas(64) uint32_t data_buffer[kTileElements], scaler_buffer[kTileElements];
    const Operand data = unpack(state, swapped ? state.src_b : state.src_a, cb, tile, data_buffer, "reduce_tile");
    const Operand scaler =
        unpack(state, swapped ? state.src_a : state.src_b, cb_scaler, tile_scaler, scaler_buffer, "reduce_tile");
    const TileTaint data_taint = taint_of(state, cb, data.bytes);
    const TileTaint scaler_taint = taint_of(state, cb_scaler, scaler.bytes);
    reduce(
        state,
        static_cast<Pool>(pool),
        static_cast<ReduceAxis>(axis),
        data,
        data_taint,
        scaler,
        scaler_taint,
        data.geometry.num_faces,
        dst);
}

void tw_reduce_dest(uint32_t num_tiles, uint32_t scaler_bits, const char* call) {
    if (!runs_on(current_instance(), kMathThread)) {
        return;
    }
    ComputeState& state = math_state(call);
    constexpr uint32_t kMostTiles = 8;  // that a card moves from DST to SrcA
    if (num_tiles == 0 || num_tiles > std::min(kMostTiles, state.dst_capacity())) {
        kernel_error("%s: %u tiles, allowed are 1 to %u", call, num_tiles, std::min(kMostTiles, state.dst_capacity()));
    }
    alignas(64) uint32_t scaler_words[kTileElements];
    const float in_dst = as_in_dst(std::bit_cast<float>(scaler_bits), state.fp32_dest);
    std::fill_n(scaler_words, kTileElements, std::bit_cast<uint32_t>(in_dst));
    Operand scaler;
    scaler.words = scaler_words;
    scaler.mask = src_float_mask(state);
    scaler.format = DataFormat::Float32;
    Operand data = scaler;
    FaceRow pooled{};
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        data.words = dst_update(state, tile, call);
        const DstTaint* taints = dst_of(state);
        const TileTaint taint = taints != nullptr ? taints->slot[tile] : TileTaint{};
        taint_reduce(state, Pool::Sum, ReduceAxis::Scalar, data, taint, scaler, {}, data.geometry.num_faces, 0);
        pool_tile({state, data, scaler, nullptr, false, data.geometry.num_faces}, pooled);
    }
    uint32_t* words = dst_overwrite(state, 0, call);
    note_dst_write(state, 0, true);
    std::fill_n(words, kTileElements, 0);
    add_pooled({state, data, scaler, words, false, data.geometry.num_faces}, pooled);
}

void tw_reduce_block_init(uint32_t num_tiles) {
    started_state("reduce_block_max_row_init").scratch[kReduceBlockTiles] = num_tiles;
}

uint32_t tw_reduce_block_tiles() {
    const uint32_t num_tiles = started_state("reduce_block_max_row").scratch[kReduceBlockTiles];
    if (num_tiles == 0) {
        kernel_error("reduce_block_max_row_runtime without reduce_block_max_row_init_runtime before it");
    }
    return num_tiles;
}
}
