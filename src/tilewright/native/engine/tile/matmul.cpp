// SPDX-License-Identifier: Apache-2.0
// Matrix products of tiles. in0 (m x k) is SrcB, in1 (k x n) is SrcA; DST += in0 @ in1.
//
// The inner dimension proceeds in steps of one face: 16 products are summed, then added to DST. Fidelity phases are the
// outermost loop over a pair of tiles, as in the loop programmed on a card.
#include "abi/tile.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "check/compute/operands.h"
#include "check/values/values.h"
#include "numerics.h"
#include "pair_products.h"
#include "pairs.h"
#include "source.h"
#include "unpack.h"

namespace tw {

namespace {

// Which parts of each side the passes use, and where they lie.
struct Plan {
    Passes passes;
    Part first[2], second[2];  // per side A, B
    bool both[2];

    uint32_t index(Side side, Part part) const {
        return both[static_cast<uint32_t>(side)] && part == second[static_cast<uint32_t>(side)] ? 1 : 0;
    }
};

Plan plan_for(uint32_t phases, bool wide) {
    Plan plan{passes_for(phases, wide), {}, {}, {false, false}};
    for (uint32_t side = 0; side < 2; side++) {
        const auto part = [&](uint32_t i) { return side == 0 ? plan.passes.pass[i].a : plan.passes.pass[i].b; };
        plan.first[side] = plan.second[side] = part(0);
        for (uint32_t i = 1; i < plan.passes.count; i++) {
            if (part(i) != plan.first[side]) {
                plan.second[side] = part(i);
                plan.both[side] = true;
            }
        }
    }
    return plan;
}

// A tile in face order, and the parts of its values that passes multiply.
struct Parts {
    alignas(64) uint32_t words[kTileElements];
    alignas(64) float of[2][kTileElements];  // High (or the part a merged pass needs), Low
    bool has_words, has_floats;  // whether these two have been filled
    bool has_low;
    bool has_special;  // infinity or NaN, which a card treats as large numbers: zero times one is zero
    // Values as bfloat16s in L1, or in own_halves, if they may be multiplied in pairs. The other fields are filled only
    // when a product needs them.
    const uint16_t* halves;
    alignas(64) uint16_t own_halves[kHasPairs ? kTileElements : 1];
    Pairs pairs;
};

// Fills own_halves if that loses nothing.
bool cut_to_halves(uint32_t count, Parts& parts) {
    VectorU any{};
    for (uint32_t i = 0; i < count; i += 2 * kLanes) {
        const VectorU first = load<VectorU>(parts.words + i), second = load<VectorU>(parts.words + i + kLanes);
        any |= first | second;
        store_upper_halves(reinterpret_cast<uint8_t*>(parts.own_halves + i), first, second);
    }
    return !any_set(any, ~kBfloat16Mask);
}

// The operand's values (floats or integers) as plain words in face order.
void to_words(const Operand& operand, bool transpose, uint32_t* words) {
    with_reader(operand, [&](auto reader) {
        for (uint32_t i = 0; i < operand.geometry.num_faces * kFaceElements; i += kLanes) {
            store(words + i, bits_of(reader.at(i)));
        }
    });
    if (transpose) {
        transpose_words(words, operand.geometry, true, true);
    }
}

const uint32_t* words_of(uint32_t count, Parts& parts) {
    if (!parts.has_words) {
        for (uint32_t i = 0; i < count; i += kLanes) {
            store(parts.words + i, widen_bfloat16(parts.halves + i));
        }
        parts.has_words = true;
    }
    return parts.words;
}

// A pass reads Parts::of[0] or [1]; merged passes of 32-bit DST have Full at [0] and any further part at [1].
template <Side S>
void need_floats(const Plan& plan, uint32_t count, Parts& parts) {
    if (parts.has_floats) {
        return;
    }
    constexpr auto kSide = static_cast<uint32_t>(S);
    const auto cut = [](Part part, VectorF value) {
        return part == Part::High  ? part_of<S, Part::High>(value)
               : part == Part::Low ? part_of<S, Part::Low>(value)
                                   : part_of<S, Part::Full>(value);
    };
    const uint32_t* words = words_of(count, parts);
    VectorU low{}, special{};
    for (uint32_t i = 0; i < count; i += kLanes) {
        const VectorF value = load<VectorF>(words + i);
        low |= bits_of(value);
        special |= (bits_of(value) & kExponentMask) == kExponentMask ? splat_bits(1) : splat_bits(0);
        store(parts.of[0] + i, cut(plan.first[kSide], value));
        if (plan.both[kSide]) {
            store(parts.of[1] + i, cut(plan.second[kSide], value));
        }
    }
    parts.has_low = any_set(low, kLowMask<S>);
    parts.has_special = any_set(special, 1);
    parts.has_floats = true;
}

template <Side S>
void split(const Plan& plan, const Operand& operand, bool transpose, uint32_t count, bool wide, Parts& parts) {
    const bool may_pair = kHasPairs && !wide;
    parts.has_floats = false;
    parts.has_words = !may_pair || operand.halves == nullptr || transpose;
    parts.halves = operand.halves;
    if (parts.has_words) {
        to_words(operand, transpose, parts.words);
        parts.halves = may_pair && cut_to_halves(count, parts) ? parts.own_halves : nullptr;
    }
    if (parts.halves == nullptr) {
        need_floats<S>(plan, count, parts);
        return;
    }
#if defined(__AVX512BF16__)
    fill_pairs<S>(parts.halves, count, parts.pairs);
#endif
}

inline constexpr uint32_t kRowsAtOnce = kLanes == 16 ? 16 : 4;

struct RowSums {
    VectorF of[kRowsAtOnce][kRowVectors];
};

// sums = b (rows x 16) @ a (16 x 16) over Count of the inner 16, from First on; of each two the second first, if Swapped.
template <bool Special, bool Swapped, size_t First, size_t Count>
inline void multiply_rows(const float* __restrict b, const float* __restrict a, RowSums& sums) {
    for (size_t step = First; step < First + Count; step++) {
        const size_t k = Swapped ? step ^ 1u : step;
        VectorF row[kRowVectors];
        for (size_t i = 0; i < kRowVectors; i++) {
            row[i] = load<VectorF>(a + k * 16 + i * kLanes);
        }
#pragma GCC unroll 16
        for (size_t r = 0; r < kRowsAtOnce; r++) {
            const VectorF factor = splat(b[r * 16 + k]);
            for (size_t i = 0; i < kRowVectors; i++) {
                const VectorF sum = multiply_add(factor, row[i], sums.of[r][i]);
                if constexpr (Special) {
                    const auto nothing = (factor == 0.0f) | (row[i] == 0.0f);
                    sums.of[r][i] = nothing ? sums.of[r][i] : sum;
                } else {
                    sums.of[r][i] = sum;
                }
            }
        }
    }
}

// held (16 x 16) += b (rows x 16) @ a (16 x 16), rounded once. In 16-bit DST each half of the 16 is added by itself.
template <bool Wide, bool Special>
void add_face_product(const float* __restrict b, const float* __restrict a, uint32_t rows, uint32_t* __restrict held) {
    for (uint32_t first = 0; first < rows; first += kRowsAtOnce, b += kRowsAtOnce * 16, held += kRowsAtOnce * 16) {
        RowSums sums{}, late_sums{};
        if constexpr (Wide) {
            multiply_rows<Special, false, 0, 16>(b, a, sums);
        } else {
            multiply_rows<Special, true, 0, 8>(b, a, sums);
            multiply_rows<Special, true, 8, 8>(b, a, late_sums);
        }
#pragma GCC unroll 16
        for (size_t r = 0; r < kRowsAtOnce; r++) {
            for (size_t i = 0; i < kRowVectors; i++) {
                uint32_t* at = held + r * 16 + i * kLanes;
                const VectorF before = floats_of(load<VectorU>(at));
                store(at, bits_of(accumulated<Wide>(before, sums.of[r][i], late_sums.of[r][i])));
            }
        }
    }
}

// The face grid of the product of two tiles.
struct Shape {
    uint32_t m_faces, k_faces, n_faces;
    uint32_t rows;  // of in0 in each face

    uint32_t in0_elements() const { return m_faces * k_faces * kFaceElements; }
    uint32_t in1_elements() const { return k_faces * n_faces * kFaceElements; }
};

#if defined(__AVX512BF16__)
// Adds the product in pairs of bfloat16s. False: it needs floats.
bool add_in_pairs(const Passes& all_passes, const Shape& shape, const Parts& in0, const Parts& in1, uint32_t* words) {
    if (in0.halves == nullptr || in1.halves == nullptr ||
        !fits_quarters(in1.pairs.exponents, in0.pairs.exponents, words, shape.m_faces * shape.n_faces)) [[unlikely]] {
        return false;
    }
    const Passes passes = without_empty(all_passes, in1.pairs.has_low, in0.pairs.has_low);
    PairStep steps[8];
    uint32_t count = 0;
    for (uint32_t p = 0; p < passes.count; p++) {
        const uint32_t* b = passes.pass[p].b == Part::High ? in0.pairs.high : in0.pairs.low;
        const uint32_t* a = passes.pass[p].a == Part::High ? in1.pairs.high : in1.pairs.low;
        for (uint32_t k = 0; k < shape.k_faces; k++) {
            steps[count++] = {b + k * kFaceElements / 2, a + k * shape.n_faces * kFaceElements / 2};
        }
    }
    add_products_of_pairs(steps, count, shape.m_faces, shape.k_faces, shape.n_faces, words);
    return true;
}
#endif

template <bool Wide, bool Special>
void add_in_floats(const Plan& plan, const Shape& shape, const Parts& in0, const Parts& in1, uint32_t* words) {
    const Passes passes = without_empty(plan.passes, in1.has_low, in0.has_low);
    for (uint32_t p = 0; p < passes.count; p++) {
        const uint32_t b = plan.index(Side::B, passes.pass[p].b), a = plan.index(Side::A, passes.pass[p].a);
        for (uint32_t k = 0; k < shape.k_faces; k++) {
            for (uint32_t m = 0; m < shape.m_faces; m++) {
                for (uint32_t n = 0; n < shape.n_faces; n++) {
                    const uint32_t b_at = (m * shape.k_faces + k) * kFaceElements;
                    const uint32_t a_at = (k * shape.n_faces + n) * kFaceElements;
                    uint32_t* held = words + (m * shape.n_faces + n) * kFaceElements;
                    add_face_product<Wide, Special>(in0.of[b] + b_at, in1.of[a] + a_at, shape.rows, held);
                }
            }
        }
    }
}

void add_tile_product(const Plan& plan, bool wide, const Shape& shape, Parts& in0, Parts& in1, uint32_t* words) {
#if defined(__AVX512BF16__)
    if (add_in_pairs(plan.passes, shape, in0, in1, words)) {
        return;
    }
#endif
    need_floats<Side::B>(plan, shape.in0_elements(), in0);
    need_floats<Side::A>(plan, shape.in1_elements(), in1);
    const bool special = in0.has_special || in1.has_special;
    const auto add = special ? (wide ? add_in_floats<true, true> : add_in_floats<false, true>)
                             : (wide ? add_in_floats<true, false> : add_in_floats<false, false>);
    add(plan, shape, in0, in1, words);
}

// Small integers: exact 32-bit sums.
void add_integer_product(const Shape& shape, const uint32_t* in0, const uint32_t* in1, uint32_t* words) {
    for (uint32_t m = 0; m < shape.m_faces * 16; m++) {
        for (uint32_t n = 0; n < shape.n_faces * 16; n++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < shape.k_faces * 16; k++) {
                const uint32_t b = (m / 16 * shape.k_faces + k / 16) * kFaceElements + m % 16 * 16 + k % 16;
                const uint32_t a = (k / 16 * shape.n_faces + n / 16) * kFaceElements + k % 16 * 16 + n % 16;
                sum += in0[b] * in1[a];
            }
            words[(m / 16 * shape.n_faces + n / 16) * kFaceElements + m % 16 * 16 + n % 16] += sum;
        }
    }
}

struct Block {
    uint32_t cb_a, cb_b, tile_a, tile_b, dst, transpose, ct_dim, rt_dim, kt_dim;
};

Shape shape_of(const Block& block, const char* call) {
    TileGeometry in0 = tile_geometry(block.cb_a);
    TileGeometry in1 = tile_geometry(block.cb_b);
    if (block.transpose) {
        if (in1.face_rows != 16) {
            kernel_error("%s: c_%u has faces of %u rows, only 16 can be transposed", call, block.cb_b, in1.face_rows);
        }
        std::swap(in1.tile_rows, in1.tile_cols);
    }
    if (in0.tile_cols != in1.tile_rows) {
        kernel_error(
            "%s: tiles of c_%u are %u columns wide, those of c_%u%s have %u rows",
            call,
            block.cb_a,
            in0.tile_cols,
            block.cb_b,
            block.transpose ? " transposed" : "",
            in1.tile_rows);
    }
    const auto faces = [](uint32_t extent) { return extent > 16 ? 2u : 1u; };
    return {faces(in0.tile_rows), faces(in0.tile_cols), faces(in1.tile_cols), in0.face_rows};
}

bool multiplies_integers(const ComputeState& state, const char* call) {
    const auto small = [](DataFormat format) { return format == DataFormat::Int8 || format == DataFormat::UInt8; };
    if (!is_integer(state.src_a.format) && !is_integer(state.src_b.format)) [[likely]] {
        return false;
    }
    if (!small(state.src_a.format) || !small(state.src_b.format)) {
        kernel_error(
            "%s: the matrix unit multiplies floats and 8-bit integers, not %s by %s",
            call,
            format_name(state.src_b.format),
            format_name(state.src_a.format));
    }
    return true;
}

// buffer holds the tile when it has to be converted.
Operand unpack_in1(const ComputeState& state, const Block& block, uint32_t column, uint32_t* buffer, const char* call) {
    const uint32_t stride = std::max(state.scratch[kMatmulColumnStride], 1u);
    return unpack(state, state.src_a, block.cb_b, block.tile_b + column * stride, buffer, call);
}

Operand unpack_in0(const ComputeState& state, const Block& block, uint32_t row, uint32_t* buffer, const char* call) {
    return unpack(state, state.src_b, block.cb_a, block.tile_a + row * block.kt_dim, buffer, call);
}

MatmulFaces faces_of(const Shape& shape) { return {shape.m_faces, shape.k_faces, shape.n_faces}; }

// The taint of the operand, transposed like it.
TileTaint in1_taint(const ComputeState& state, const Block& block, const uint8_t* bytes) {
    TileTaint taint = load_taint(state, block.cb_b, bytes);
    transpose_taint(taint, tile_geometry(block.cb_b).num_faces, block.transpose, block.transpose);
    return taint;
}

inline uint32_t rounded_rows(uint32_t rows) { return (rows + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce; }

void multiply_integers(ComputeState& state, const Block& block, const Shape& shape, const char* call) {
    alignas(64) uint32_t in0[kTileElements], in1[kTileElements], buffer[kTileElements];
    for (uint32_t row = 0; row < block.rt_dim; row++) {
        const Operand in0_operand = unpack_in0(state, block, row, buffer, call);
        to_words(in0_operand, false, in0);
        const TileTaint in0_taint = taint_of(state, block.cb_a, in0_operand.bytes);
        for (uint32_t column = 0; column < block.ct_dim; column++) {
            const Operand in1_operand = unpack_in1(state, block, column, buffer, call);
            to_words(in1_operand, block.transpose, in1);
            const uint32_t slot = block.dst + row * block.ct_dim + column;
            if (state.taints) [[unlikely]] {
                const TileTaint taint = in1_taint(state, block, in1_operand.bytes);
                taint_matmul(state, faces_of(shape), in0, in0_taint, in1, taint, slot);
            }
            add_integer_product(shape, in0, in1, dst_update(state, slot, call));
        }
    }
}

bool begin_product(Block& block) {
    KernelInstance& instance = current_instance();
    if (block.cb_a == kNoCb) [[unlikely]] {
        if (!take_unpacked(instance)) {
            return false;
        }
        const OperandTile first_column = instance.sources->operand(0),
                          first_row = instance.sources->operand(block.ct_dim);
        block.cb_b = first_column.cb;
        block.tile_b = first_column.tile;
        block.cb_a = first_row.cb;
        block.tile_a = first_row.tile;
        block.kt_dim = block.rt_dim > 1 ? instance.sources->operand(block.ct_dim + 1).tile - first_row.tile : 1;
        return true;
    }
    if (instance.sources == nullptr && instance.checks == nullptr) [[likely]] {
        return true;
    }
    const uint32_t stride = std::max(compute_state().scratch[kMatmulColumnStride], 1u);
    const auto tiles = product_operands(
        block.cb_a, block.cb_b, block.tile_a, block.tile_b, block.ct_dim, block.rt_dim, block.kt_dim, stride);
    return pass_through_sources(instance, tiles, SourceUse::WholeTiles);
}

void multiply_block(Block block, const char* call) {
    check_loops(started_state(call), {UnpackLoop::Matmul, 0, MathLoop::Matmul, kAnyDetail}, kNoCb, call);
    if (!begin_product(block)) {
        return;
    }
    ComputeState& state = math_state(call);
    // A product resets the counter of DST's rows, which vector-unit programs rely on.
    state.vector_machine.row = state.vector_machine.face_row = 0;
    if (block.transpose == kAsInit) {
        block.transpose = state.scratch[kMatmulTranspose];
    }
    if (block.ct_dim == 0 || block.rt_dim == 0) {
        kernel_error("%s: ct_dim %u and rt_dim %u must be at least 1", call, block.ct_dim, block.rt_dim);
    }
    check_slot(state, block.dst + block.rt_dim * block.ct_dim - 1, call);
    for (uint32_t slot = block.dst; slot < block.dst + block.rt_dim * block.ct_dim; slot++) {
        note_dst_write(state, slot, false);
    }
    Shape shape = shape_of(block, call);
    if (multiplies_integers(state, call)) {
        multiply_integers(state, block, shape, call);
        return;
    }
    shape.rows = rounded_rows(shape.rows);
    const bool wide = state.fp32_dest;
    const uint32_t phases = state.scratch[kMatmulFidelity] ? state.scratch[kMatmulFidelity] : state.fidelity;
    const Plan plan = plan_for(phases, wide);
    // On the heap: a shared library has little thread-local memory, and a fiber's stack is small.
    static thread_local const std::unique_ptr<Parts[]> parts(new Parts[kDstSlots + 1]);
    Parts* in1 = parts.get();
    Parts& in0 = parts[kDstSlots];
    alignas(64) uint32_t buffer[kTileElements];
    for (uint32_t column = 0; column < block.ct_dim; column++) {
        const Operand operand = unpack_in1(state, block, column, buffer, call);
        if (state.taints) [[unlikely]] {
            dst_of(state)->in1[column] = in1_taint(state, block, operand.bytes);
        }
        split<Side::A>(plan, operand, block.transpose, shape.in1_elements(), wide, in1[column]);
    }
    for (uint32_t row = 0; row < block.rt_dim; row++) {
        const Operand operand = unpack_in0(state, block, row, buffer, call);
        const TileTaint in0_taint = taint_of(state, block.cb_a, operand.bytes);
        split<Side::B>(plan, operand, false, shape.in0_elements(), wide, in0);
        for (uint32_t column = 0; column < block.ct_dim; column++) {
            const uint32_t slot = block.dst + row * block.ct_dim + column;
            uint32_t* held = dst_update(state, slot, call);
            if (state.taints) [[unlikely]] {
                taint_matmul(
                    state,
                    faces_of(shape),
                    words_of(shape.in0_elements(), in0),
                    in0_taint,
                    words_of(shape.in1_elements(), in1[column]),
                    dst_of(state)->in1[column],
                    slot);
            }
            add_tile_product(plan, wide, shape, in0, in1[column], held);
        }
    }
}

}  // namespace

}  // namespace tw

using namespace tw;

extern "C" {

void tw_matmul_init(uint32_t, uint32_t, uint32_t transpose, uint32_t, uint32_t, uint32_t) {
    ComputeState& state = started_state("matmul init");
    tw_unpack_loop(static_cast<uint32_t>(UnpackLoop::Matmul), 0, kNoCb);
    state.scratch[kMatmulTranspose] = transpose != 0;
    state.scratch[kMatmulColumnStride] = 1;
}

void tw_matmul_b_column_stride(uint32_t tiles) { compute_state().scratch[kMatmulColumnStride] = tiles; }

void tw_matmul_fidelity(uint32_t phases) {
    if (phases > 4) {
        kernel_error("matmul fidelity: %u phases, allowed are 1 (LoFi) to 4 (HiFi4), 0 for the host's choice", phases);
    }
    compute_state().scratch[kMatmulFidelity] = phases;
}

void tw_matmul_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t dst, uint32_t transpose) {
    multiply_block({cb_a, cb_b, tile_a, tile_b, dst, transpose, 1, 1, 1}, "matmul_tiles");
}

void tw_matmul_block(
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t transpose,
    uint32_t ct_dim,
    uint32_t rt_dim,
    uint32_t kt_dim) {
    multiply_block({cb_a, cb_b, tile_a, tile_b, dst, transpose, ct_dim, rt_dim, kt_dim}, "matmul_block");
}
}
