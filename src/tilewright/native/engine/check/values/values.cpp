// SPDX-License-Identifier: Apache-2.0
// Taint of the result of each tile operation. A card has no NaN in its matrix unit: zero times anything is zero, so a
// product with a defined zero is defined.
#include "check/values/values.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "check/checks.h"
#include "run/scheduler.h"
#include "tile/dst.h"
#include "tile/unpack.h"

namespace tw {

TileTaint& TileTaint::operator=(const TileTaint& from) {
    if (this == &from) {
        return *this;
    }
    clean = from.clean;
    if (!clean) {
        std::memcpy(of, from.of, sizeof of);
    }
    origins = from.origins;
    return *this;
}

void TileTaint::open() {
    if (clean) {
        clean = false;
        origins = {};
        std::memset(of, 0, sizeof of);
    }
}

void TileTaint::take_origins(const TileTaint& from) {
    if (from.clean) {
        return;
    }
    for (uint32_t kind = 0; kind < kTaintKinds; kind++) {
        if (from.origins.of[kind].kind != Origin::Kind::None) {
            const Origin known = origins.of[kind];
            Origin& origin = origins.of[kind] = from.origins.of[kind];
            origin.taken_in = origin.taken_in != nullptr ? origin.taken_in : known.taken_in;
            origin.read_by = origin.read_by != nullptr ? origin.read_by : known.read_by;
        }
    }
}

DstTaint* dst_of(const ComputeState& state) { return state.taints ? state.checks->values : nullptr; }

uint32_t broadcast_source(Broadcast broadcast, uint32_t row, uint32_t i, uint32_t faces, uint32_t b_faces) {
    const uint32_t face = i / kFaceElements, at = i % kFaceElements;
    switch (broadcast) {
        case Broadcast::None: return i;
        case Broadcast::Col: return face / faces * b_faces * kFaceElements + at / 16 * 16;
        case Broadcast::Row: return (row / 16 * b_faces + face % faces) * kFaceElements + row % 16 * 16 + at % 16;
        case Broadcast::Scalar: break;
    }
    return 0;
}

TileReads reads_of(Broadcast broadcast) {
    switch (broadcast) {
        case Broadcast::None: return TileReads::All;
        case Broadcast::Row: return TileReads::Row;
        case Broadcast::Col: return TileReads::LeftColumn;
        case Broadcast::Scalar: return TileReads::Scalar;
    }
    return TileReads::All;
}

namespace {

constexpr uint32_t kMagnitude = 0x7fffffffu;

bool is_zero(uint32_t bits) { return (bits & kMagnitude) == 0; }

// The zeros that a reduction leaves beside its result do not change a sum: kernels rely on them.
uint8_t in_sum(uint8_t taint, bool zero) { return zero ? taint & ~kBeside : taint; }

struct Side {
    const Operand& operand;
    const TileTaint& taint;
};

void combine(
    BinaryOp op,
    Broadcast broadcast,
    uint32_t row,
    Side a,
    Side b,
    const TileTaint* held,
    uint32_t count,
    TileTaint& out) {
    const uint32_t faces = a.operand.faces_per_row(), b_faces = b.operand.faces_per_row();
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = broadcast_source(broadcast, row, i, faces, b_faces);
        uint8_t of_a = a.taint.at(i), of_b = b.taint.at(from);
        if (op == BinaryOp::Mul && (of_a == 0) != (of_b == 0)) {
            const bool vanishes = of_a != 0 ? is_zero(b.operand.bits(from)) : is_zero(a.operand.bits(i));
            of_a = vanishes ? 0 : of_a;
            of_b = vanishes ? 0 : of_b;
        }
        out.of[i] = of_a | of_b | (held != nullptr ? held->at(i) : 0);
    }
}

}  // namespace

static uint8_t kinds_of(const TileTaint& taint) {
    return taint.clean ? 0 : std::accumulate(taint.of, taint.of + kTileElements, uint8_t{0}, std::bit_or<uint8_t>());
}

// The first element of a tile is never padding, so a mark that arrives there was mixed into a result.
static void mixed_into_result(const ComputeState& state, TileTaint& out, uint8_t before) {
    mixed_in(state, out, static_cast<uint8_t>(out.at(0) & ~before & (kPadding | kUnwritten)));
    read_unwritten(state, out);
}

static bool same_frames(const CallPlace& a, const CallPlace& b) {
    return a.instance == b.instance && a.num_frames == b.num_frames &&
           std::equal(a.frames, a.frames + a.num_frames, b.frames);
}

static const CallPlace* place_here(const ComputeState& state) {
    KernelInstance& instance = *state.checks->operands.instance;
    std::deque<CallPlace>& places = instance.checks->values.places;
    const CallPlace place = call_place(instance);
    const auto known =
        std::find_if(places.begin(), places.end(), [&](const CallPlace& each) { return same_frames(each, place); });
    return known != places.end() ? &*known : &places.emplace_back(place);
}

void mixed_in(const ComputeState& state, TileTaint& taint, uint8_t kinds) {
    const CallPlace* here = nullptr;
    for (uint32_t kind = 0; kind < kTaintKinds; kind++) {
        if ((kinds >> kind & 1) != 0 && taint.origins.of[kind].taken_in == nullptr) {
            here = here == nullptr ? place_here(state) : here;
            taint.origins.of[kind].taken_in = here;
        }
    }
}

void read_unwritten(const ComputeState& state, TileTaint& taint) {
    Origin& origin = taint.origins.of[0];
    if ((kinds_of(taint) & kUnwritten) != 0 && origin.read_by == nullptr) {
        origin.read_by = place_here(state);
    }
}

void checked::taint_clear(const ComputeState& state) {
    for (TileTaint& slot : dst_of(state)->slot) {
        slot.clean = true;
    }
}

// A broadcast copies all marks that it reads.
static void mixed_in_beside(const ComputeState& state, TileTaint& read) {
    if (!read.clean && std::any_of(read.of, read.of + kTileElements, [](uint8_t of) { return (of & kBeside) != 0; })) {
        mixed_in(state, read, kBeside);
    }
}

void transpose_taint(TileTaint& taint, uint32_t num_faces, bool faces, bool within) {
    if (taint.clean || (!faces && !within)) {
        return;
    }
    uint8_t copy[kTileElements];
    std::memcpy(copy, taint.of, sizeof copy);
    for (uint32_t face = 0; face < num_faces; face++) {
        const bool swaps = faces && num_faces == 4 && (face == 1 || face == 2);
        const uint8_t* from = copy + (swaps ? 3 - face : face) * kFaceElements;
        for (uint32_t i = 0; i < kFaceElements; i++) {
            taint.of[face * kFaceElements + i] = from[within ? i % 16 * 16 + i / 16 : i];
        }
    }
}

// Gives every datum the mark of the one that a broadcast reads for it.
static void broadcast_taint(TileTaint& taint, const TileGeometry& geometry, Broadcast broadcast) {
    uint8_t copy[kTileElements];
    std::memcpy(copy, taint.of, sizeof copy);
    const uint32_t faces = geometry.tile_cols > 16 ? 2 : 1;
    for (uint32_t i = 0; i < geometry.num_faces * kFaceElements; i++) {
        taint.of[i] = copy[broadcast_source(broadcast, 0, i, faces, faces)];
    }
}

void checked::taint_copy(
    const ComputeState& state,
    uint32_t cb,
    const uint8_t* bytes,
    uint32_t slot,
    uint32_t transpose,
    Broadcast broadcast) {
    DstTaint* dst = dst_of(state);
    TileTaint taint = load_taint(state, cb, bytes, reads_of(broadcast));
    const TileGeometry& geometry = tile_geometry(cb);
    transpose_taint(taint, geometry.num_faces, transpose & 1, transpose & 2);
    if (broadcast != Broadcast::None && !taint.clean) {
        const uint8_t before = taint.at(0);
        broadcast_taint(taint, geometry, broadcast);
        mixed_in_beside(state, taint);
        mixed_into_result(state, taint, before);
    }
    read_unwritten(state, taint);
    TileTaint& out = dst->slot[slot];
    if (geometry.num_faces == 4) {
        out = taint;
    } else if (!taint.clean || !out.clean) {
        out.open();
        taint.open();
        std::memcpy(out.of, taint.of, geometry.num_faces * kFaceElements);
        out.take_origins(taint);
    }
}

void checked::taint_binary(
    const ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    uint32_t row,
    TaintedOperand a,
    TaintedOperand b,
    uint32_t slot,
    bool accumulate) {
    DstTaint* dst = dst_of(state);
    const TileTaint of_a = load_taint(state, a.cb, a.operand.bytes);
    TileTaint of_b = load_taint(state, b.cb, b.operand.bytes, reads_of(broadcast), row);
    if (broadcast != Broadcast::None) {
        mixed_in_beside(state, of_b);
    }
    TileTaint& out = dst->slot[slot];
    const uint32_t count = a.operand.geometry.num_faces * kFaceElements;
    if (of_a.clean && of_b.clean) {
        if (!accumulate && !out.clean) {
            std::memset(out.of, 0, count);
            out.clean = count == kTileElements;
        }
        return;
    }
    const TileTaint held = out;
    out.open();
    combine(op, broadcast, row, {a.operand, of_a}, {b.operand, of_b}, accumulate ? &held : nullptr, count, out);
    out.take_origins(of_a);
    out.take_origins(of_b);
    mixed_into_result(state, out, of_a.at(0) | of_b.at(0) | (accumulate ? held.at(0) : 0));
}

void checked::taint_reuse_dest(
    const ComputeState& state,
    BinaryOp op,
    Broadcast broadcast,
    bool dst_is_a,
    const Operand& from_dst,
    TaintedOperand from_cb,
    uint32_t slot) {
    DstTaint* dst = dst_of(state);
    const TileTaint of_cb =
        load_taint(state, from_cb.cb, from_cb.operand.bytes, dst_is_a ? reads_of(broadcast) : TileReads::All);
    const TileTaint of_dst = dst->slot[slot];
    if (of_cb.clean && of_dst.clean) {
        return;
    }
    TileTaint& out = dst->slot[slot];
    out.open();
    const Side dst_side{from_dst, of_dst}, cb_side{from_cb.operand, of_cb};
    const uint32_t count = from_cb.operand.geometry.num_faces * kFaceElements;
    combine(op, broadcast, 0, dst_is_a ? dst_side : cb_side, dst_is_a ? cb_side : dst_side, nullptr, count, out);
    out.take_origins(of_cb);
    mixed_into_result(state, out, of_cb.at(0) | of_dst.at(0));
}

void checked::taint_compensated(const ComputeState& state, TaintedOperand a, TaintedOperand mean, uint32_t slot) {
    DstTaint* dst = dst_of(state);
    const TileTaint of_a = load_taint(state, a.cb, a.operand.bytes);
    const TileTaint of_mean = load_taint(state, mean.cb, mean.operand.bytes, TileReads::FaceColumns);
    TileTaint& out = dst->slot[slot];
    out.clean = of_a.clean && of_mean.clean;
    if (out.clean) {
        return;
    }
    for (uint32_t i = 0; i < kTileElements; i++) {
        const uint32_t left = i / (2 * kFaceElements) * 2 * kFaceElements + i % kFaceElements / 16 * 16;
        out.of[i] = of_a.at(i) | of_mean.at(left) | of_mean.at(left + kFaceElements);
    }
    out.take_origins(of_a);
    out.take_origins(of_mean);
    mixed_into_result(state, out, of_a.at(0) | of_mean.at(0));
}

namespace {

bool is_zero_row(const Operand& operand, uint32_t first) {
    uint32_t any = 0;
    if (operand.halves != nullptr) {
        for (uint32_t i = 0; i < 16; i++) {
            any |= operand.halves[first + i];
        }
        return (any & (kMagnitude >> 16)) == 0;
    }
    for (uint32_t i = 0; i < 16; i++) {
        any |= operand.words[first + i];
    }
    return is_zero(any & operand.mask);
}

// The faces of a reduction and the data that its scaler includes.
struct ReduceView {
    const Operand& data;
    const TileTaint& data_taint;
    const Operand& scaler;
    const TileTaint& scaler_taint;
    uint32_t num_faces;
    bool maximum;

    uint32_t faces_per_row() const { return num_faces == 1 ? 1 : data.faces_per_row(); }
    uint32_t face_rows() const { return data.geometry.face_rows; }
    uint32_t scaler_datum(uint32_t face, uint32_t row, uint32_t k) const {
        return std::min<uint32_t>(face, scaler.geometry.num_faces - 1) * kFaceElements + row * 16 + k;
    }
    // Mark that one datum adds to a result, scaled by datum `scale` of the scaler.
    uint8_t adds(uint32_t datum, uint32_t scale) const {
        const uint8_t own = data_taint.at(datum);
        if (maximum) {
            return own;
        }
        const uint8_t of_scaler = scaler_taint.at(scale);
        if (of_scaler == 0 && is_zero(scaler.bits(scale))) {
            return 0;
        }
        const bool zero = is_zero(data.bits(datum));
        return in_sum(own, zero) | (own == 0 && zero ? 0 : in_sum(of_scaler, is_zero(scaler.bits(scale))));
    }
    // A row sum writes the product with row `column` of the scaler to that column.
    bool fills_column(uint32_t column) const {
        if (column == 0) {
            return true;
        }
        const uint32_t faces = std::min<uint32_t>(num_faces == 4 ? 2 : num_faces, scaler.geometry.num_faces);
        for (uint32_t face = 0; face < faces && !maximum; face++) {
            if (!is_zero_row(scaler, scaler_datum(face, column, 0))) {
                return true;
            }
        }
        return false;
    }
    bool clean() const { return data_taint.clean && scaler_taint.clean; }
};

void reduce_rows(const ReduceView& view, const TileTaint& held, TileTaint& out) {
    const uint32_t faces_per_row = view.faces_per_row();
    for (uint32_t column = 0; column < 16; column++) {
        if (!view.fills_column(column)) {
            continue;
        }
        for (uint32_t face = 0; face < view.num_faces; face += faces_per_row) {
            for (uint32_t row = 0; row < view.face_rows(); row++) {
                const uint32_t result = face * kFaceElements + row * 16 + column;
                // The running maxima of a face's rows are in its row 0 (tile/reduce_max.cpp).
                const uint32_t running = view.maximum ? face * kFaceElements + row : result;
                uint8_t taint = held.at(running);
                for (uint32_t i = 0; i < 16 * faces_per_row && !view.clean(); i++) {
                    const uint32_t right = i / 16, k = i % 16;
                    const uint32_t scaler_face = view.num_faces == 4 ? right : face + right;
                    const uint32_t datum = (face + right) * kFaceElements + row * 16 + k;
                    taint |= view.adds(datum, view.scaler_datum(scaler_face, column, k));
                }
                out.of[running] = out.of[result] = taint;
            }
        }
    }
}

uint8_t column_of_face(const ReduceView& view, uint32_t face, uint32_t column) {
    uint8_t taint = 0;
    for (uint32_t row = 0; row < view.face_rows(); row++) {
        taint |= view.adds(face * kFaceElements + row * 16 + column, view.scaler_datum(face, 0, row));
    }
    return taint;
}

void reduce_columns(const ReduceView& view, const TileTaint& held, TileTaint& out) {
    for (uint32_t top = 0; top < view.faces_per_row(); top++) {
        for (uint32_t column = 0; column < 16; column++) {
            uint8_t taint = held.at(top * kFaceElements + column);
            for (uint32_t face = top; face < view.num_faces && !view.clean(); face += view.faces_per_row()) {
                taint |= column_of_face(view, face, column);
            }
            out.of[top * kFaceElements + column] = taint;
        }
    }
}

void reduce_tile(const ReduceView& view, const TileTaint& held, TileTaint& out) {
    uint8_t taint = held.at(0);
    for (uint32_t face = 0; face < view.num_faces && !view.clean(); face++) {
        for (uint32_t column = 0; column < 16; column++) {
            // The second pass scales the row of sums once more.
            const uint32_t again = view.scaler_datum(view.num_faces - 1, 0, column);
            if (view.maximum || view.scaler_taint.at(again) != 0 || !is_zero(view.scaler.bits(again))) {
                taint |= column_of_face(view, face, column);
            }
        }
    }
    out.of[0] = taint;
}

}  // namespace

void checked::taint_reduce(
    const ComputeState& state,
    Pool pool,
    ReduceAxis axis,
    const Operand& data,
    const TileTaint& data_taint,
    const Operand& scaler,
    const TileTaint& scaler_taint,
    uint32_t num_faces,
    uint32_t slot) {
    DstTaint* dst = dst_of(state);
    const ReduceView view{data, data_taint, scaler, scaler_taint, num_faces, pool == Pool::Max};
    const TileTaint held = dst->slot[slot];
    TileTaint& out = dst->slot[slot];
    out.open();
    std::memset(out.of, kBeside, sizeof out.of);
    switch (axis) {
        case ReduceAxis::Row: reduce_rows(view, held, out); break;
        case ReduceAxis::Col: reduce_columns(view, held, out); break;
        case ReduceAxis::Scalar: reduce_tile(view, held, out); break;
    }
    out.take_origins(data_taint);
    out.take_origins(scaler_taint);
    mixed_into_result(state, out, held.at(0));
    out.origins.of[2] = {Origin::Kind::Reduction, static_cast<uint8_t>(axis), kNoCb, 0};
}

void taint_matmul(
    const ComputeState& state,
    MatmulFaces faces,
    const uint32_t* in0,
    const TileTaint& in0_taint,
    const uint32_t* in1,
    const TileTaint& in1_taint,
    uint32_t slot) {
    DstTaint* dst = dst_of(state);
    if (dst == nullptr || (in0_taint.clean && in1_taint.clean)) [[likely]] {
        return;
    }
    // Of each operand: the marks of an element, and 0xff where it lets the other one's through.
    uint8_t brings0[kTileElements], lets0[kTileElements], brings1[kTileElements], lets1[kTileElements];
    const auto prepare = [](const uint32_t* words, const TileTaint& taint, uint8_t* brings, uint8_t* lets) {
        for (uint32_t i = 0; i < kTileElements; i++) {
            brings[i] = in_sum(taint.at(i), is_zero(words[i]));
            lets[i] = brings[i] == 0 && is_zero(words[i]) ? 0 : 0xff;
        }
    };
    prepare(in0, in0_taint, brings0, lets0);
    prepare(in1, in1_taint, brings1, lets1);
    TileTaint& out = dst->slot[slot];
    out.open();
    uint8_t arrived = 0;
    for (uint32_t m = 0; m < faces.m * 16; m++) {
        const uint8_t row_begin = in0_taint.at(m / 16 * faces.k * kFaceElements + m % 16 * 16);
        for (uint32_t k = 0; k < faces.k * 16; k++) {
            const uint32_t at0 = (m / 16 * faces.k + k / 16) * kFaceElements + m % 16 * 16 + k % 16;
            for (uint32_t face = 0; face < faces.n; face++) {
                uint8_t* to = out.of + (m / 16 * faces.n + face) * kFaceElements + m % 16 * 16;
                const uint32_t at1 = (k / 16 * faces.n + face) * kFaceElements + k % 16 * 16;
                for (uint32_t n = 0; n < 16; n++) {
                    const uint8_t brought = (brings0[at0] & lets1[at1 + n]) | (brings1[at1 + n] & lets0[at0]);
                    // A row of in0 and a column of in1 that begin with padding are padding of the result as well.
                    arrived |= brought & ~(row_begin | in1_taint.at(face * kFaceElements + n));
                    to[n] |= brought;
                }
            }
        }
    }
    out.take_origins(in0_taint);
    out.take_origins(in1_taint);
    mixed_in(state, out, arrived & (kPadding | kUnwritten));
    read_unwritten(state, out);
}

void taint_transpose_dst(const ComputeState& state, uint32_t slot, bool faces) {
    if (DstTaint* dst = dst_of(state)) [[unlikely]] {
        transpose_taint(dst->slot[slot], 4, faces, true);
    }
}

}  // namespace tw
