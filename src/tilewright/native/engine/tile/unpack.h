// SPDX-License-Identifier: Apache-2.0
// Operand tiles, unpacked from L1 into SrcA, SrcB or DST.
#pragma once

#include <cstdint>

#include "check/compute/operands.h"
#include "dst.h"
#include "formats.h"
#include "vector.h"

namespace tw {

// Bits of a 32-bit float that Src keeps: tf32 with 32-bit DST, bfloat16 with 16-bit DST.
uint32_t src_float_mask(const ComputeState& state);

// A tile as Src holds it, in face order with whole faces. Common formats are read directly from L1.
struct Operand {
    const uint16_t* halves = nullptr;  // bfloat16
    const uint32_t* words = nullptr;   // float bits, to be masked; or integers
    uint32_t mask = ~0u;
    const uint8_t* bytes = nullptr;  // of the tile in L1
    DataFormat format = DataFormat::Invalid;
    TileGeometry geometry;

    uint32_t faces_per_row() const { return geometry.tile_cols > 16 ? 2 : 1; }

    uint32_t bits(uint32_t datum) const {
        return halves ? static_cast<uint32_t>(halves[datum]) << 16 : words[datum] & mask;
    }
    float value(uint32_t datum) const { return std::bit_cast<float>(bits(datum)); }
};

// Readers for loops, so that they do not test the operand's format per datum.
struct Halves {
    static constexpr bool kIsBfloat16 = true;
    const uint16_t* data;
    float value(size_t datum) const { return std::bit_cast<float>(static_cast<uint32_t>(data[datum]) << 16); }
    VectorF at(size_t datum) const { return floats_of(widen_bfloat16(data + datum)); }
    VectorF column(size_t datum) const {
        VectorF values;
        for (uint32_t row = 0; row < kLanes; row++) {
            values[row] = value(datum + row * 16);
        }
        return values;
    }
};
struct Words {
    static constexpr bool kIsBfloat16 = false;
    const uint32_t* data;
    uint32_t mask;
    VectorF at(size_t datum) const { return floats_of(load<VectorU>(data + datum) & mask); }
    // The first datum of each of kLanes face rows.
    VectorF column(size_t datum) const { return floats_of(gather_column(data + datum) & mask); }
};

template <class Body>
inline auto with_reader(const Operand& operand, Body body) {
    return operand.halves ? body(Halves{operand.halves}) : body(Words{operand.words, operand.mask});
}

// Sets the data of an operand: a pointer into L1, or the data converted into the buffer.
void unpack_data(const ComputeState& state, Operand& operand, uint32_t* buffer);
[[noreturn]] void unpacker_without_format(uint32_t cb, const char* call);
inline DataFormat known_format(const TileGeometry& unpacker, uint32_t cb, const char* call) {
    if (unpacker.format == DataFormat::Invalid) [[unlikely]] {
        unpacker_without_format(cb, call);
    }
    return unpacker.format;
}

// `unpacker` is the side whose format applies. The buffer holds the tile if it has to be converted.
inline Operand unpack(
    const ComputeState& state,
    const TileGeometry& unpacker,
    uint32_t cb,
    uint32_t tile,
    uint32_t* buffer,
    const char* call) {
    // Read from the original: a copy just made byte by byte cannot be forwarded to wider loads.
    const DataFormat format = known_format(unpacker, cb, call);
    const TileGeometry& geometry = tile_geometry(cb);
    check_source(state, unpacker, cb, call);
    Operand operand;
    operand.format = format;
    operand.geometry = geometry;
    operand.bytes = front_tile(cb, tile);
    if (format == DataFormat::Float16_b && geometry.face_rows == 16) [[likely]] {
        operand.halves = reinterpret_cast<const uint16_t*>(operand.bytes);
    } else {
        unpack_data(state, operand, buffer);
    }
    return operand;
}

// Writes a tile to DST as copy_tile does. transpose: bit 0 swaps the faces, bit 1 transposes each face.
void unpack_to_dst(
    ComputeState& state,
    const TileGeometry& unpacker,
    uint32_t cb,
    uint32_t tile,
    uint32_t slot,
    uint32_t transpose,
    const char* call);
// The same into a buffer of 1024 words. Returns where the tile lies in L1.
const uint8_t* unpack_words(
    const ComputeState& state,
    const TileGeometry& unpacker,
    uint32_t cb,
    uint32_t tile,
    uint32_t* words,
    const char* call);
// Bits of each word that copy_tile keeps.
uint32_t copy_mask(const ComputeState& state, const TileGeometry& unpacker, uint32_t cb);

void transpose_face(const uint32_t* face, uint32_t* transposed);
// Transposes in place; `faces`: the faces change places as well.
void transpose_words(uint32_t* words, const TileGeometry& geometry, bool faces, bool within);

}  // namespace tw
