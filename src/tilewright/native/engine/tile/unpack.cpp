// SPDX-License-Identifier: Apache-2.0
#include "unpack.h"

#include <algorithm>
#include <cstring>

#include "abi/tile.h"
#include "check/compute/operands.h"
#include "check/values/values.h"
#include "deferred_dst.h"
#include "known_operands.h"
#include "numerics.h"
#include "source.h"

namespace tw {

namespace {

bool is_float32(DataFormat format) { return format == DataFormat::Float32 || format == DataFormat::Tf32; }

void widen_tile(const uint16_t* halves, uint32_t count, uint32_t* words) {
    for (size_t i = 0; i < count; i += kLanes) {
        store(words + i, widen_bfloat16(halves + i));
    }
}

void mask_tile(const uint32_t* from, uint32_t count, uint32_t mask, uint32_t* words) {
    for (size_t i = 0; i < count; i += kLanes) {
        store(words + i, load<VectorU>(from + i) & mask);
    }
}

typedef uint32_t Quad __attribute__((vector_size(16)));

}  // namespace

uint32_t src_float_mask(const ComputeState& state) { return state.fp32_dest ? kTf32Mask : kBfloat16Mask; }

uint32_t copy_mask(const ComputeState& state, const TileGeometry& unpacker, uint32_t cb) {
    if (!is_float32(unpacker.format) || (state.fp32_dest && tile_geometry(cb).unpack_to_dest_fp32)) {
        return ~0u;
    }
    return src_float_mask(state);
}

void unpacker_without_format(uint32_t cb, const char* call) {
    kernel_error("%s: the unpacker was set up for a circular buffer without data format (reads c_%u)", call, cb);
}

void unpack_data(const ComputeState& state, Operand& operand, uint32_t* buffer) {
    if (is_float32(operand.format)) {
        operand.mask = src_float_mask(state);
    }
    if (operand.format == DataFormat::Float32 && operand.geometry.face_rows == 16) {
        operand.words = reinterpret_cast<const uint32_t*>(operand.bytes);
        return;
    }
    decode_tile(operand.bytes, operand.format, operand.geometry, buffer);
    operand.words = buffer;
}

const uint8_t* unpack_words(
    const ComputeState& state,
    const TileGeometry& unpacker,
    uint32_t cb,
    uint32_t tile,
    uint32_t* words,
    const char* call) {
    const DataFormat format = known_format(unpacker, cb, call);
    check_source(state, unpacker, cb, call);
    const TileGeometry& geometry = tile_geometry(cb);
    const uint8_t* bytes = front_tile(cb, tile);
    const uint32_t count = geometry.num_faces * kFaceElements;
    if (format == DataFormat::Float16_b && geometry.face_rows == 16) {
        widen_tile(reinterpret_cast<const uint16_t*>(bytes), count, words);
    } else if (format == DataFormat::Float32 && geometry.face_rows == 16) {
        mask_tile(reinterpret_cast<const uint32_t*>(bytes), count, copy_mask(state, unpacker, cb), words);
    } else {
        decode_tile(bytes, format, geometry, words);
        if (is_float32(format)) {
            mask_tile(words, count, copy_mask(state, unpacker, cb), words);
        }
    }
    return bytes;
}

void unpack_to_dst(
    ComputeState& state,
    const TileGeometry& unpacker,
    uint32_t cb,
    uint32_t tile,
    uint32_t slot,
    uint32_t transpose,
    const char* call) {
    const TileGeometry& geometry = tile_geometry(cb);
    note_dst_write(state, slot, false);
    uint32_t* words = geometry.num_faces == 4 ? dst_overwrite(state, slot, call) : dst_update(state, slot, call);
    const uint8_t* bytes = unpack_words(state, unpacker, cb, tile, words, call);
    check_dst_width(state, cb, call);
    taint_copy(state, cb, bytes, slot, transpose);
    if (transpose) {
        transpose_words(words, geometry, transpose & 1, transpose & 2);
    }
}

void transpose_face(const uint32_t* face, uint32_t* transposed) {
    for (uint32_t row = 0; row < 16; row += 4) {
        for (uint32_t column = 0; column < 16; column += 4) {
            const auto a = load<Quad>(face + row * 16 + column);
            const auto b = load<Quad>(face + (row + 1) * 16 + column);
            const auto c = load<Quad>(face + (row + 2) * 16 + column);
            const auto d = load<Quad>(face + (row + 3) * 16 + column);
            const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
            const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
            const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            uint32_t* out = transposed + column * 16 + row;
            store(out, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
            store(out + 16, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
            store(out + 32, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
            store(out + 48, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
        }
    }
}

void transpose_words(uint32_t* words, const TileGeometry& geometry, bool faces, bool within) {
    alignas(64) uint32_t copy[kTileElements];
    const uint32_t num_faces = geometry.num_faces;
    std::memcpy(copy, words, num_faces * kFaceElements * 4);
    for (uint32_t face = 0; face < num_faces; face++) {
        const bool swaps = faces && num_faces == 4 && (face == 1 || face == 2);
        const uint32_t* from = copy + (swaps ? 3 - face : face) * kFaceElements;
        if (within) {
            transpose_face(from, words + face * kFaceElements);
        } else if (swaps) {
            std::memcpy(words + face * kFaceElements, from, kFaceElements * 4);
        }
    }
}

}  // namespace tw

using namespace tw;

namespace {

constexpr uint32_t kTransposeBoth = 3;

// Words of 32 bits are moved in two halves that 16-bit DST does not have.
void check_whole_words(const ComputeState& state, bool whole_words) {
    if (whole_words && !state.fp32_dest) {
        kernel_error(
            "transpose_dest with is_32bit moves words of 32 bits, and DST has 16 here; give is_32bit as "
            "DST_ACCUM_MODE");
    }
}

// Broadcasts row 0 of the faces at the top of a tile to num_rows rows of each face.
void broadcast_row(const Operand& operand, uint32_t num_faces, uint32_t num_rows, uint32_t* words) {
    const uint32_t faces_per_row = operand.faces_per_row();
    with_reader(operand, [&](auto reader) {
        for (uint32_t face = 0; face < num_faces; face++, words += kFaceElements) {
            const uint32_t top = (face & (faces_per_row - 1)) * kFaceElements;
            // Most likely the next tile. Rows of tiles lie too far apart for the hardware prefetcher.
            __builtin_prefetch(reader.data + top + operand.geometry.num_faces * kFaceElements);
            for (uint32_t column = 0; column < 16; column += kLanes) {
                const VectorF value = reader.at(top + column);
                for (uint32_t row = 0; row < num_rows; row++) {
                    store(words + row * 16 + column, value);
                }
            }
        }
    });
}

// Broadcasts the column or scalar over the tile. Nothing else of the operand is read.
void broadcast_column_or_scalar(const Operand& operand, Broadcast broadcast, uint32_t* words) {
    const uint32_t faces_per_row = operand.faces_per_row();
    for (uint32_t face = 0; face < operand.geometry.num_faces; face++, words += kFaceElements) {
        const uint32_t left = face / faces_per_row * faces_per_row * kFaceElements;
        for (uint32_t i = 0; i < kFaceElements; i += kLanes) {
            store(words + i, splat_bits(operand.bits(broadcast == Broadcast::Col ? left + i / 16 * 16 : 0)));
        }
    }
}

}  // namespace

extern "C" {

void tw_copy_init(uint32_t cb, uint32_t transpose_faces, uint32_t transpose_within_face) {
    ComputeState& state = started_state("copy_init");
    if ((transpose_faces || transpose_within_face) && tile_geometry(cb).face_rows != 16) {
        kernel_error("copy_init: c_%u has faces of %u rows, only 16 work", cb, tile_geometry(cb).face_rows);
    }
    tw_unpack_loop(static_cast<uint32_t>(UnpackLoop::Copy), 0, cb);
    state.copy_transpose = static_cast<uint8_t>((transpose_faces ? 1 : 0) | (transpose_within_face ? 2 : 0));
}

void tw_copy_tile(uint32_t cb, uint32_t tile, uint32_t dst) {
    check_loops(started_state("copy_tile"), {UnpackLoop::Copy, 0, MathLoop::Copy, kAnyDetail}, cb, "copy_tile");
    if (!begin_single(cb, tile)) {
        return;
    }
    ComputeState& state = math_state("copy_tile");
    unpack_to_dst(state, state.src_a, cb, tile, dst, state.copy_transpose, "copy_tile");
}

void tw_copy_elements(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t count) {
    constexpr const char* kCall = "topk_xl_copy_tile";
    check_loops(started_state(kCall), {UnpackLoop::Copy, 0, MathLoop::Copy, kAnyDetail}, cb, kCall);
    if (!begin_single(cb, tile)) {
        return;
    }
    ComputeState& state = math_state(kCall);
    if (!state.fp32_dest) {
        kernel_error("%s works with a DST of 32 bits only: fp32_dest_acc_en is not set", kCall);
    }
    unpack_to_dst(state, state.src_a, cb, tile, dst, 0, kCall);
    taint_tail_defined(state, dst, count);
    uint32_t* words = state.dst[dst];
    if (!is_float32(state.src_a.format)) {
        for (uint32_t i = 0; i < count; i += kLanes) {
            store(words + i, dst_bits<true>(load<VectorF>(words + i)));
        }
    }
    std::fill(words + count, words + kTileElements, kMinusInfinity);
}

void tw_transpose_tile(uint32_t cb, uint32_t tile, uint32_t dst) {
    constexpr const char* kCall = "transpose_tile";
    check_loops(started_state(kCall), {UnpackLoop::Transpose, 0, MathLoop::Copy, kAnyDetail}, cb, kCall);
    if (!begin_single(cb, tile)) {
        return;
    }
    ComputeState& state = math_state(kCall);
    if (tile_geometry(cb).face_rows != 16) {
        kernel_error("transpose_tile: c_%u has faces of %u rows, only 16 work", cb, tile_geometry(cb).face_rows);
    }
    unpack_to_dst(state, state.src_a, cb, tile, dst, kTransposeBoth, "transpose_tile");
}

void tw_transpose_dest(uint32_t dst, uint32_t whole_words) {
    constexpr const char* kCall = "transpose_dest";
    if (!runs_on(current_instance(), kMathThread)) {
        return;
    }
    ComputeState& state = math_state(kCall);
    check_whole_words(state, whole_words != 0);
    taint_transpose_dst(state, dst, true);
    uint32_t* words = dst_update(state, dst, kCall);
    if (whole_words == 0 && state.fp32_dest) {
        for (uint32_t i = 0; i < kTileElements; i++) {
            words[i] &= src_float_mask(state);
        }
    }
    transpose_words(words, TileGeometry{}, true, true);
}

void tw_transpose_dest_within_faces(uint32_t dst) {
    if (!runs_on(current_instance(), kMathThread)) {
        return;
    }
    ComputeState& state = math_state("transpose_dest");
    check_whole_words(state, true);
    taint_transpose_dst(state, dst, false);
    transpose_words(dst_update(state, dst, "transpose_dest"), TileGeometry{}, false, true);
}

// 32-bit data go straight to DST and so through unpacker A; narrower ones are broadcast by SrcB.
void tw_unary_broadcast(uint32_t broadcast_code, uint32_t cb, uint32_t tile, uint32_t dst) {
    constexpr const char* kCall = "unary_bcast";
    check_loops(
        started_state(kCall),
        {UnpackLoop::UnaryBroadcast, broadcast_code, MathLoop::UnaryBroadcast, broadcast_code},
        cb,
        kCall);
    if (!begin_single(cb, tile)) {
        return;
    }
    ComputeState& state = math_state(kCall);
    const auto broadcast = static_cast<Broadcast>(broadcast_code);
    const TileGeometry& geometry = tile_geometry(cb);
    const bool to_dst = geometry.unpack_to_dest_fp32 || is_integer(geometry.format);
    if (broadcast == Broadcast::None) {
        unpack_to_dst(state, state.src_a, cb, tile, dst, 0, kCall);
        return;
    }
    const TileGeometry& unpacker = to_dst ? state.src_a : state.src_b;
    alignas(64) uint32_t buffer[kTileElements];
    Operand operand = unpack(state, unpacker, cb, tile, buffer, kCall);
    operand.mask = copy_mask(state, unpacker, cb);
    note_dst_write(state, dst, false);
    const bool whole = geometry.num_faces == 4;
    const bool row = broadcast == Broadcast::Row;
    if (broadcast == Broadcast::Col && is_square_tile(geometry) && may_defer(state)) {
        const KnownOperands::Column& column = known_column(state, operand);
        std::memcpy(dst_broadcast_column(state, dst, kCall), column.values, sizeof column.values);
        return;
    }
    uint32_t* words = !whole ? dst_update(state, dst, kCall)
                      : row  ? dst_broadcast_row(state, dst, kCall)
                             : dst_overwrite(state, dst, kCall);
    taint_copy(state, cb, operand.bytes, dst, 0, broadcast);
    if (row) {
        whole ? broadcast_row(operand, 2, 1, words) : broadcast_row(operand, geometry.num_faces, 16, words);
    } else {
        broadcast_column_or_scalar(operand, broadcast, words);
    }
}
}
