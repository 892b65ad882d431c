// SPDX-License-Identifier: Apache-2.0
#include "pack.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "abi/context.h"
#include "abi/tile.h"
#include "check/compute/operands.h"
#include "check/values/values.h"
#include "deferred_dst.h"
#include "formats.h"
#include "numerics.h"
#include "run/threads.h"

namespace tw {

namespace {

enum ReluMode : uint8_t { kReluNone, kReluZero, kReluMinimum, kReluMaximum };

// Minimum: values up to the threshold become zero. Maximum: values are clamped to [0, threshold].
void apply_relu(const ComputeState& state, uint32_t* words, uint32_t count) {
    const float threshold = std::bit_cast<float>(state.pack_relu_threshold);
    for (uint32_t i = 0; i < count; i++) {
        const float value = std::bit_cast<float>(words[i]);
        const float floor = state.pack_relu_mode == kReluMinimum ? threshold : 0.0f;
        float result = value <= floor ? 0.0f : value;
        if (state.pack_relu_mode == kReluMaximum && result > threshold) {
            result = threshold;
        }
        words[i] = std::bit_cast<uint32_t>(result);
    }
}

void apply_reduce_mask(const ComputeState& state, uint32_t* words, const TileGeometry& geometry) {
    const auto axis = static_cast<ReduceAxis>(state.scratch[kReduceMask] - 1);
    const uint32_t faces_per_row = geometry.tile_cols > 16 ? 2 : 1;
    for (uint32_t face = 0; face < geometry.num_faces; face++) {
        const bool left = face % faces_per_row == 0;
        const bool top = face < faces_per_row;
        uint32_t* data = words + face * kFaceElements;
        for (uint32_t i = 0; i < kFaceElements; i++) {
            const bool first_column = left && i % 16 == 0;
            const bool first_row = top && i / 16 == 0;
            const bool keep = axis == ReduceAxis::Row   ? first_column
                              : axis == ReduceAxis::Col ? first_row
                                                        : first_column && first_row;
            data[i] = keep ? data[i] : 0;
        }
    }
}

uint32_t round_to_even_bfloat16(uint32_t bits) {
    return (bits & kMagnitudeMask) > kExponentMask ? bits | 0x00400000u : bits + 0x7fffu + ((bits >> 16) & 1u);
}

float without_denormals(float value) { return (std::bit_cast<uint32_t>(value) & kExponentMask) == 0 ? 0.0f : value; }

// The packer's adder: the value in L1 plus the datum as it would have been written.
void accumulate_data(
    const uint32_t* words, DataFormat format, uint32_t count, bool wide, uint8_t* bytes, const char* call) {
    alignas(64) uint32_t old_words[kTileElements];
    alignas(64) uint32_t new_words[kTileElements];
    decode_data(bytes, format, count, old_words);
    alignas(64) uint8_t encoded[kTileElements * 4];
    encode_data(words, format, count, wide, encoded);
    decode_data(encoded, format, count, new_words);
    switch (format) {
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32:
            for (uint32_t i = 0; i < count; i++) {
                new_words[i] += old_words[i];
            }
            break;
        case DataFormat::Float32:
        case DataFormat::Float16_b:
        case DataFormat::Float16:
            for (uint32_t i = 0; i < count; i++) {
                const float sum = std::bit_cast<float>(old_words[i]) + std::bit_cast<float>(new_words[i]);
                const uint32_t bits = std::bit_cast<uint32_t>(without_denormals(sum));
                new_words[i] = format == DataFormat::Float16_b ? round_to_even_bfloat16(bits) : bits;
            }
            break;
        default: kernel_error("%s: the packer cannot accumulate %s data in L1", call, format_name(format));
    }
    encode_data(new_words, format, count, false, bytes);
}

void pack_plain_zeros(const TileGeometry& geometry, DataFormat format, bool wide, uint8_t* bytes) {
    alignas(64) static constexpr uint32_t kZeros[kTileElements] = {};
    encode_tile(kZeros, format, geometry, wide, bytes);
}

// Integers of 16-bit DST that are packed as bfloat16: the same bits, in the order of L1.
void integers_to_bfloat16(uint32_t* words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        words[i] = words[i] >> 16 != 0 ? words[i] : bfloat16_of_integer(words[i]) << 16;
    }
}

void pack_with_effects(
    const ComputeState& state,
    uint32_t* words,
    DataFormat format,
    const TileGeometry& geometry,
    uint8_t* bytes,
    const char* call) {
    if (state.scratch[kHasIntegers] != 0 && format == DataFormat::Float16_b && state.fp32_dest == 0) {
        integers_to_bfloat16(words, geometry.num_faces * kFaceElements);
    }
    if (state.pack_relu_mode != kReluNone) {
        apply_relu(state, words, geometry.num_faces * kFaceElements);
    }
    if (state.scratch[kReduceMask] != kNoReduceMask) {
        apply_reduce_mask(state, words, geometry);
    }
    if (!state.pack_l1_accumulate) {
        encode_tile(words, format, geometry, state.fp32_dest, bytes);
        return;
    }
    if (is_block_float(format)) {
        kernel_error("%s: the packer cannot accumulate %s data in L1", call, format_name(format));
    }
    const uint32_t face_data = geometry.face_rows * 16u;
    const uint32_t stride = face_data * datum_bytes(format, call);
    for (uint32_t face = 0; face < geometry.num_faces; face++) {
        accumulate_data(words + face * kFaceElements, format, face_data, state.fp32_dest, bytes + face * stride, call);
    }
}

}  // namespace

DataFormat pack_format(const ComputeState& state, const char* call) {
    if (state.pack.format == DataFormat::Invalid) [[unlikely]] {
        kernel_error("%s: the packer was set up for a circular buffer without data format", call);
    }
    return state.pack.format;
}

void pack_words(
    const ComputeState& state, const uint32_t* words, const TileGeometry& geometry, uint8_t* bytes, const char* call) {
    const DataFormat format = pack_format(state, call);
    if (packs_plainly(state)) [[likely]] {
        if (words) {
            encode_tile(words, format, geometry, state.fp32_dest, bytes);
        } else {
            pack_plain_zeros(geometry, format, state.fp32_dest, bytes);
        }
        return;
    }
    alignas(64) uint32_t copy[kTileElements] = {};
    if (words) {
        std::memcpy(copy, words, geometry.num_faces * kFaceElements * 4);
    }
    pack_with_effects(state, copy, format, geometry, bytes, call);
}

void pack_row(
    const ComputeState& state,
    const uint32_t* words,
    uint32_t count,
    DataFormat format,
    uint8_t* bytes,
    const char* call) {
    if (state.pack_relu_mode == kReluNone && !state.pack_l1_accumulate) [[likely]] {
        encode_data(words, format, count, state.fp32_dest, bytes);
        return;
    }
    alignas(64) uint32_t copy[kTileElements];
    for (uint32_t done = 0; done < count; done += kTileElements) {
        const uint32_t part = std::min(count - done, kTileElements);
        std::memcpy(copy, words + done, part * 4);
        uint8_t* out = bytes + done * datum_bytes(format, call);
        if (state.pack_relu_mode != kReluNone) {
            apply_relu(state, copy, part);
        }
        if (state.pack_l1_accumulate) {
            accumulate_data(copy, format, part, state.fp32_dest, out, call);
        } else {
            encode_data(copy, format, part, state.fp32_dest, out);
        }
    }
}

static void pack_one_tile(ComputeState& state, uint32_t dst, uint32_t cb, uint32_t tile) {
    dst_begin_pack(state, dst, "pack_tile");
    check_pack(state, cb, PackLoop::Default, "pack_tile");
    check_pack_mask(state, dst, cb, "pack_tile");
    const TileGeometry& geometry = tile_geometry(cb);
    uint8_t* bytes = back_tile(cb, tile);
    taint_pack_slot(state, dst, cb, geometry, bytes);
    if (dst_is_deferred(state, dst) && is_square_tile(geometry) && packs_plainly(state)) {
        if (state.pack.format == DataFormat::Float16_b) {
            pack_deferred_tile(state.deferred[dst], bytes);
            return;
        }
        if (state.pack.format == DataFormat::Float32) {
            write_deferred(state.deferred[dst], reinterpret_cast<uint32_t*>(bytes));
            return;
        }
    }
    pack_words(state, dst_packed_words(state, dst), geometry, bytes, "pack_tile");
}

}  // namespace tw

using namespace tw;

namespace {

void pack_rows(uint32_t dst, uint32_t cb, uint8_t* bytes) {
    ComputeState& state = pack_state("pack_rows");
    const uint32_t* words = dst_read(state, dst, "pack_rows");
    alignas(64) static constexpr uint32_t kZeros[kTileElements] = {};
    const DataFormat format = pack_format(state, "pack_rows");
    const uint32_t count = state.scratch[kPackRows] * 16;
    taint_pack_data(state, dst, 0, count, datum_bytes(format, "pack_rows"), cb, bytes);
    pack_row(state, words ? words : kZeros, count, format, bytes, "pack_rows");
}

}  // namespace

extern "C" {

void tw_pack_tile(uint32_t dst, uint32_t cb, uint32_t tile, uint32_t out_of_order) {
    if (!runs_on(current_instance(), kPackThread)) [[unlikely]] {
        return;
    }
    ComputeState& state = pack_state("pack_tile");
    if (!out_of_order) {
        tile = tw_context()->cb[cb].fifo_wr_tile_ptr++;
    }
    pack_one_tile(state, dst, cb, tile);
    for (uint32_t i = 1; i < state.scratch[kPackWidth]; i++) {
        pack_one_tile(state, dst + i, cb, tile + i);
    }
}

void tw_pack_width(uint32_t num_tiles) { compute_state().scratch[kPackWidth] = num_tiles; }

void tw_pack_rows_init(uint32_t num_rows) {
    if (num_rows == 0 || num_rows > kTileElements / 16) {
        kernel_error("pack_rows_init: %u rows, allowed are 1 to %u (of 16 data)", num_rows, kTileElements / 16);
    }
    started_state("pack_rows_init").scratch[kPackRows] = num_rows;
}

void tw_pack_rows(uint32_t dst, uint32_t cb, uint32_t tile) {
    if (runs_on(current_instance(), kPackThread)) {
        pack_rows(dst, cb, back_tile(cb, tile));
    }
}

void tw_pack_rows_to_address(uint32_t dst, uint32_t l1_address) {
    if (runs_on(current_instance(), kPackThread)) {
        materialize(compute_state());
        pack_rows(dst, kNoCb, own_memory(current_instance(), l1_address));
    }
}
}
