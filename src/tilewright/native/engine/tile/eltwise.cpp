// SPDX-License-Identifier: Apache-2.0
// Element-wise add, subtract and multiply of two operands, one of which may be broadcast or come from DST.
#include "abi/tile.h"

#include <algorithm>
#include <cstring>

#include "broadcast.h"
#include "check/compute/operands.h"
#include "check/values/values.h"
#include "deferred_dst.h"
#include "numerics.h"
#include "source.h"
#include "unpack.h"

namespace tw {

namespace {

// Operations of the loops: one multiply per number of fidelity phases.
enum class Arithmetic : uint8_t { Add, Sub, Mul1, Mul2, Mul3, Mul4 };

// Readers of a broadcast operand.
// One value per row of each face.
struct Column {
    static constexpr bool kIsBfloat16 = false;
    const float* values;
    VectorF at(size_t datum) const { return splat(values[datum / 16]); }
};
// One row of 16 values per face.
struct Row {
    static constexpr bool kIsBfloat16 = false;
    const float* values;
    VectorF at(size_t datum) const { return load<VectorF>(values + datum / kFaceElements * 16 + datum % 16); }
};

// The part of an operand that the multiplier sees; a bfloat16 fits completely.
template <Side S, class Reader>
inline VectorF full_part_of(VectorF value) {
    return Reader::kIsBfloat16 ? value : part_of<S, Part::Full>(value);
}

// DST after the phases of a product were added to it one by one.
template <uint32_t Phases, bool Wide, class A, class B>
inline VectorU add_product(VectorF held, VectorF a, VectorF b) {
    if constexpr (Wide) {
        const VectorF a_full = full_part_of<Side::A, A>(a);
        const VectorF a_high = part_of<Side::A, Part::High>(a);
        const VectorF b_high = part_of<Side::B, Part::High>(b);
        if constexpr (Phases == 1) {
            return dst_bits<true>(multiply_add(a_high, b_high, held));
        } else if constexpr (Phases == 2) {
            return dst_bits<true>(multiply_add(a_full, b_high, held));
        } else if constexpr (Phases == 3) {
            const VectorF b_low = part_of<Side::B, Part::Low>(b);
            return dst_bits<true>(multiply_add(a_high, b_low, multiply_add(a_full, b_high, held)));
        } else {
            return dst_bits<true>(multiply_add(a_full, full_part_of<Side::B, B>(b), held));
        }
    } else {
        const VectorF a_high = part_of<Side::A, Part::High>(a);
        const VectorF b_high = part_of<Side::B, Part::High>(b);
        VectorF sum = multiply_add(a_high, b_high, held);
        if constexpr (Phases > 1) {
            const VectorF a_low = part_of<Side::A, Part::Low>(a);
            sum = multiply_add(a_low, b_high, rounded_to_bfloat16(sum));
            if constexpr (Phases > 2) {
                const VectorF b_low = part_of<Side::B, Part::Low>(b);
                sum = multiply_add(a_high, b_low, rounded_to_bfloat16(sum));
                if constexpr (Phases > 3) {
                    sum = multiply_add(a_low, b_low, rounded_to_bfloat16(sum));
                }
            }
        }
        return dst_bits<false>(sum);
    }
}

// A card treats infinities as large numbers, so those of opposite signs cancel. Attention relies on it where a mask
// leaves a whole row at minus infinity.
inline VectorF sum_of(VectorF a, VectorF b) { return a == -b ? VectorF{} : a + b; }

template <Arithmetic K, bool Wide, bool Accumulate, class A, class B>
inline VectorU combine(const uint32_t* words, VectorF a, VectorF b) {
    const VectorF held = Accumulate ? floats_of(load<VectorU>(words)) : VectorF{};
    if constexpr (K == Arithmetic::Add || K == Arithmetic::Sub) {
        const VectorF result = sum_of(a, K == Arithmetic::Add ? b : -b);
        return dst_bits<Wide>(Accumulate ? sum_of(held, result) : result);
    } else {
        constexpr uint32_t kPhases = static_cast<uint32_t>(K) - static_cast<uint32_t>(Arithmetic::Mul1) + 1;
        return add_product<kPhases, Wide, A, B>(held, a, b);
    }
}

struct Target {
    uint32_t* words;
    uint32_t count;
    bool accumulate;  // add to what is there; else start from zero
};

template <Arithmetic K, bool Wide, bool Accumulate, class A, class B>
void run(Target target, A a, B b) {
    uint32_t* words = target.words;
    const size_t count = target.count;
#pragma GCC unroll 4
    for (size_t i = 0; i < count; i += kLanes) {
        store(words + i, combine<K, Wide, Accumulate, A, B>(words + i, a.at(i), b.at(i)));
    }
}

template <Arithmetic K, bool Wide, class A, class B>
void run(Target target, A a, B b) {
    target.accumulate ? run<K, Wide, true>(target, a, b) : run<K, Wide, false>(target, a, b);
}

template <bool Wide, class A, class B>
void run(Arithmetic arithmetic, Target target, A a, B b) {
    switch (arithmetic) {
        case Arithmetic::Add: return run<Arithmetic::Add, Wide>(target, a, b);
        case Arithmetic::Sub: return run<Arithmetic::Sub, Wide>(target, a, b);
        case Arithmetic::Mul1: return run<Arithmetic::Mul1, Wide>(target, a, b);
        case Arithmetic::Mul2: return run<Arithmetic::Mul2, Wide>(target, a, b);
        case Arithmetic::Mul3: return run<Arithmetic::Mul3, Wide>(target, a, b);
        case Arithmetic::Mul4: return run<Arithmetic::Mul4, Wide>(target, a, b);
    }
}

template <class A, class B>
void run(bool wide, Arithmetic arithmetic, Target target, A a, B b) {
    wide ? run<true>(arithmetic, target, a, b) : run<false>(arithmetic, target, a, b);
}

template <class B>
void run(bool wide, Arithmetic arithmetic, Target target, const Operand& a, B b) {
    with_reader(a, [&](auto reader) { run(wide, arithmetic, target, reader, b); });
}

// The last two phases add nothing when no value of b has low bits (a power of two, for example).
Arithmetic without_low_b(Arithmetic arithmetic, const BroadcastOperand& operand) {
    if (arithmetic < Arithmetic::Mul3) {
        return arithmetic;
    }
    uint32_t any = 0;
    for (float value : operand.values) {
        any |= std::bit_cast<uint32_t>(value) & kLowMask<Side::B>;
    }
    return any == 0 ? std::min(arithmetic, Arithmetic::Mul2) : arithmetic;
}

// Into 32-bit DST, where differences stay normal.
template <class A>
void subtract_columns(Target target, A a, const float* values) {
    for (size_t face = 0; face < target.count; face += kFaceElements, values += 16) {
#pragma GCC unroll 4
        for (size_t row = 0; row < 16; row++) {
            const VectorF value = splat(values[row]);
            for (size_t i = 0; i < kRowVectors; i++) {
                const size_t datum = face + row * 16 + i * kLanes;
                store(target.words + datum, bits_of(a.at(datum) - value));
            }
        }
    }
}

// Small integers: exact, in 32-bit words.
void run_integers(BinaryOp op, Broadcast broadcast, uint32_t row, Target target, const Operand& a, const Operand& b) {
    const uint32_t a_faces = a.faces_per_row();
    for (uint32_t i = 0; i < target.count; i++) {
        const uint32_t face = i / kFaceElements, at = i % kFaceElements;
        const uint32_t left = face / a_faces * b.faces_per_row(), top = row / 16 * b.faces_per_row() + face % a_faces;
        const uint32_t from = broadcast == Broadcast::None  ? i
                              : broadcast == Broadcast::Col ? left * kFaceElements + at / 16 * 16
                              : broadcast == Broadcast::Row ? top * kFaceElements + row % 16 * 16 + at % 16
                                                            : 0;
        const uint32_t x = a.words[i], y = b.words[from];
        const uint32_t result = op == BinaryOp::Add ? x + y : op == BinaryOp::Sub ? x - y : x * y;
        target.words[i] = result + (target.accumulate ? target.words[i] : 0);
    }
}

// UInt16 with a float: the multiplier reads its 16 bits as a bfloat16 (left by a comparison in such a tile).
bool mixes_uint16(const Operand& a, const Operand& b) {
    return is_integer(a.format) != is_integer(b.format) &&
           (a.format == DataFormat::UInt16 || b.format == DataFormat::UInt16);
}

Operand as_bfloat16_bits(const Operand& operand) {
    Operand result = operand;
    if (operand.format == DataFormat::UInt16) {
        result.format = DataFormat::Float16_b;
        result.halves = reinterpret_cast<const uint16_t*>(operand.bytes);
        result.words = nullptr;
    }
    return result;
}

bool takes_integers(const Operand& a, const Operand& b, const char* call) {
    const auto small = [](DataFormat format) { return format == DataFormat::Int8 || format == DataFormat::UInt8; };
    if (!is_integer(a.format) && !is_integer(b.format)) [[likely]] {
        return false;
    }
    if (!small(a.format) || !small(b.format)) {
        kernel_error(
            "%s: the matrix unit has no %s with %s operands, only floats and 8-bit integers; the vector unit has "
            "integer operations on DST tiles",
            call,
            format_name(a.format),
            format_name(b.format));
    }
    return true;
}

const char* call_name(BinaryOp op) {
    return op == BinaryOp::Add ? "add_tiles" : op == BinaryOp::Sub ? "sub_tiles" : "mul_tiles";
}

Arithmetic arithmetic_of(const ComputeState& state, BinaryOp op) {
    if (op != BinaryOp::Mul) {
        return op == BinaryOp::Add ? Arithmetic::Add : Arithmetic::Sub;
    }
    return static_cast<Arithmetic>(static_cast<uint32_t>(Arithmetic::Mul1) + state.fidelity - 1);
}

void combine_operands(
    const ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    uint32_t row,
    Target target,
    const Operand& a,
    const Operand& b,
    const char* call) {
    if (mixes_uint16(a, b) && a.geometry.face_rows == 16 && b.geometry.face_rows == 16) [[unlikely]] {
        combine_operands(state, op, broadcast, row, target, as_bfloat16_bits(a), as_bfloat16_bits(b), call);
        return;
    }
    if (takes_integers(a, b, call)) {
        run_integers(op, broadcast, row, target, a, b);
        return;
    }
    const Arithmetic arithmetic = arithmetic_of(state, op);
    const bool wide = state.fp32_dest;
    BroadcastOperand operand;
    switch (broadcast) {
        case Broadcast::None: with_reader(b, [&](auto reader) { run(wide, arithmetic, target, a, reader); }); return;
        case Broadcast::Col:
            broadcast_column(b, a.geometry, operand);
            if (op == BinaryOp::Sub && wide && !target.accumulate &&
                differences_stay_normal(operand, a.geometry.num_faces, a.faces_per_row())) {
                with_reader(a, [&](auto reader) { subtract_columns(target, reader, operand.values); });
                return;
            }
            run(wide, without_low_b(arithmetic, operand), target, a, Column{operand.values});
            return;
        case Broadcast::Row:
            broadcast_row(b, a.geometry, row, operand);
            run(wide, without_low_b(arithmetic, operand), target, a, Row{operand.values});
            return;
        case Broadcast::Scalar:
            broadcast_scalar(b, operand);
            run(wide, without_low_b(arithmetic, operand), target, a, Row{operand.values});
            return;
    }
    kernel_error(
        "%s: broadcast %u, but only 0 (none), 1 (column), 2 (row), 3 (scalar) exist",
        call,
        static_cast<uint32_t>(broadcast));
}

void binary_tiles(
    uint32_t op_code,
    uint32_t broadcast,
    uint32_t row,
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t accumulate) {
    const auto op = static_cast<BinaryOp>(op_code);
    const char* call = call_name(op);
    check_loops(
        started_state(call),
        {UnpackLoop::Binary, broadcast, MathLoop::Binary, binary_detail(op_code, broadcast, 0)},
        cb_a,
        call);
    if (cb_a == kNoCb) [[unlikely]] {
        KernelInstance& instance = current_instance();
        if (!take_unpacked(instance)) {
            return;
        }
        const OperandTile a = instance.sources->operand(0), b = instance.sources->operand(1);
        cb_a = a.cb, tile_a = a.tile, cb_b = b.cb, tile_b = b.tile;
    } else if (!begin_operation({{cb_a, tile_a}, {cb_b, tile_b}})) {
        return;
    }
    ComputeState& state = math_state(call);
    alignas(64) uint32_t buffer_a[kTileElements], buffer_b[kTileElements];
    const Operand a = unpack(state, state.src_a, cb_a, tile_a, buffer_a, call);
    const Operand b = unpack(state, state.src_b, cb_b, tile_b, buffer_b, call);
    check_slot(state, dst, call);
    note_dst_write(state, dst, false);
    if (accumulate == kAsInit) {
        accumulate = state.scratch[kBinaryAccumulate];
    }
    // A product is always added to DST, which a release left zero.
    const bool add = (accumulate || op == BinaryOp::Mul) && !dst_reads_zero(state, dst);
    const bool whole = a.geometry.num_faces == 4 && !add;
    const auto kind = static_cast<Broadcast>(broadcast);
    if (whole &&
        (defer_difference(state, op, kind, a, b, dst, call) || defer_tile_product(state, op, kind, a, b, dst, call))) {
        return;
    }
    uint32_t* words = whole ? dst_overwrite(state, dst, call) : dst_update(state, dst, call);
    taint_binary(state, op, kind, row, {a, cb_a}, {b, cb_b}, dst, add);
    const Target target{words, a.geometry.num_faces * kFaceElements, add};
    combine_operands(state, op, kind, row, target, a, b, call);
}

}  // namespace

}  // namespace tw

using namespace tw;

extern "C" {

void tw_binary_init(uint32_t op, uint32_t broadcast, uint32_t reuse, uint32_t, uint32_t, uint32_t accumulate) {
    tw_math_loop(static_cast<uint32_t>(MathLoop::Binary), binary_detail(op, broadcast, reuse));
    started_state("binary init").scratch[kBinaryAccumulate] = accumulate != 0;
}

void tw_binary_tiles(
    uint32_t op,
    uint32_t broadcast,
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t accumulate) {
    binary_tiles(op, broadcast, 0, cb_a, cb_b, tile_a, tile_b, dst, accumulate);
}

void tw_binary_tiles_broadcast_row(
    uint32_t op,
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t accumulate,
    uint32_t row) {
    const TileGeometry& geometry = tile_geometry(cb_b);
    if (row >= geometry.tile_rows) {
        kernel_error(
            "%s: row %u to broadcast, but a tile of c_%u has %u rows",
            call_name(static_cast<BinaryOp>(op)),
            row,
            cb_b,
            geometry.tile_rows);
    }
    binary_tiles(op, static_cast<uint32_t>(Broadcast::Row), row, cb_a, cb_b, tile_a, tile_b, dst, accumulate);
}

void tw_binary_reuse_dest(
    uint32_t op_code, uint32_t broadcast, uint32_t reuse, uint32_t cb, uint32_t tile, uint32_t dst) {
    constexpr const char* kCall = "binary_dest_reuse_tiles";
    const auto op = static_cast<BinaryOp>(op_code);
    const bool dst_is_a = static_cast<ReuseDest>(reuse) == ReuseDest::ToSrcA;
    if (!dst_is_a && static_cast<ReuseDest>(reuse) != ReuseDest::ToSrcB) {
        kernel_error("%s: DST must be reused as SrcA (1) or SrcB (2), given %u", kCall, reuse);
    }
    check_loops(
        started_state(kCall),
        {UnpackLoop::ReuseDest, reuse, MathLoop::Binary, binary_detail(op_code, broadcast, reuse)},
        cb,
        kCall);
    if (!begin_single(cb, tile)) {
        return;
    }
    ComputeState& state = math_state(kCall);
    alignas(64) uint32_t buffer[kTileElements];
    const Operand from_cb = unpack(state, dst_is_a ? state.src_b : state.src_a, cb, tile, buffer, kCall);
    uint32_t* words = dst_update(state, dst, kCall);
    note_dst_write(state, dst, false);
    const uint32_t count = from_cb.geometry.num_faces * kFaceElements;
    Operand from_dst;
    from_dst.words = words;  // read before it is written, element by element; broadcast values are copied first
    from_dst.mask = is_integer(from_cb.format) ? ~0u : src_float_mask(state);
    from_dst.format = is_integer(from_cb.format) ? from_cb.format : DataFormat::Float32;
    from_dst.geometry = from_cb.geometry;
    taint_reuse_dest(state, op, static_cast<Broadcast>(broadcast), dst_is_a, from_dst, {from_cb, cb}, dst);
    const Target target{words, count, false};
    combine_operands(
        state,
        op,
        static_cast<Broadcast>(broadcast),
        0,
        target,
        dst_is_a ? from_dst : from_cb,
        dst_is_a ? from_cb : from_dst,
        kCall);
}

void tw_binary_scalar_of_dest(
    uint32_t op_code, uint32_t cb, uint32_t tile, uint32_t num_tiles, uint32_t from, uint32_t dst, uint32_t clears) {
    constexpr const char* kCall = "rmsnorm_bcast_scalar_reuse_tiles";
    const auto op = static_cast<BinaryOp>(op_code);
    alignas(64) uint32_t scalar[kTileElements], buffer[kTileElements];
    Operand b;
    b.words = scalar;
    b.format = DataFormat::Float32;
    for (uint32_t i = 0; i < num_tiles; i++) {
        uint32_t of_cb = cb, of_tile = tile + i;
        if (!begin_single(of_cb, of_tile)) {
            continue;
        }
        ComputeState& state = math_state(kCall);
        if (i == 0) {
            b.mask = src_float_mask(state);
            std::fill_n(scalar, kTileElements, *dst_update(state, from, kCall));
            if (clears != 0) {
                tw_clear_dest();
            }
        }
        const Operand a = unpack(state, state.src_a, of_cb, of_tile, buffer, kCall);
        check_slot(state, dst + i, kCall);
        note_dst_write(state, dst + i, false);
        const bool add = op == BinaryOp::Mul && !dst_reads_zero(state, dst + i);
        uint32_t* words = dst_update(state, dst + i, kCall);
        taint_copy(state, of_cb, a.bytes, dst + i, 0);
        combine_operands(
            state, op, Broadcast::Scalar, 0, {words, a.geometry.num_faces * kFaceElements, add}, a, b, kCall);
    }
}

void tw_sub_columns_compensated(uint32_t cb_a, uint32_t cb_mean, uint32_t tile_a, uint32_t dst) {
    constexpr const char* kCall = "sub_bcast_cols_compensated";
    if (!begin_operation({{cb_a, tile_a}, {cb_mean, 0}})) {
        return;
    }
    ComputeState& state = math_state(kCall);
    if (!state.fp32_dest || tile_geometry(cb_a).num_faces != 4 || tile_geometry(cb_mean).num_faces != 4) {
        kernel_error("%s needs 32-bit DST and 32 x 32 tiles in c_%u and c_%u", kCall, cb_a, cb_mean);
    }
    alignas(64) uint32_t buffer_a[kTileElements], buffer_mean[kTileElements];
    const Operand a = unpack(state, tile_geometry(cb_a), cb_a, tile_a, buffer_a, kCall);
    const Operand mean = unpack(state, tile_geometry(cb_mean), cb_mean, 0, buffer_mean, kCall);
    uint32_t* words = dst_overwrite(state, dst, kCall);
    note_dst_write(state, dst, false);
    taint_compensated(state, {a, cb_a}, {mean, cb_mean}, dst);
    with_reader(a, [&](auto reader) {
        for (uint32_t i = 0; i < kTileElements; i += kLanes) {
            const uint32_t left = i / (2 * kFaceElements) * 2 * kFaceElements + i % kFaceElements / 16 * 16;
            const VectorF anchor = splat(mean.value(left));
            const VectorF rest = splat(mean.value(left + kFaceElements));
            store(words + i, dst_bits<true>(rest + (reader.at(i) - anchor)));
        }
    });
}
}
