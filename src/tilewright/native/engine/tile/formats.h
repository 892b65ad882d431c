// SPDX-License-Identifier: Apache-2.0
// Bytes in L1 <-> DST words, per data format. A word is the bits of a float, or an integer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute_state.h"

namespace tw {

inline bool is_block_float(DataFormat format) {
    switch (format) {
        case DataFormat::Bfp8:
        case DataFormat::Bfp4:
        case DataFormat::Bfp2:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4_b:
        case DataFormat::Bfp2_b: return true;
        default: return false;
    }
}

inline bool is_integer(DataFormat format) {
    switch (format) {
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32:
        case DataFormat::UInt16:
        case DataFormat::UInt8:
        case DataFormat::Int8: return true;
        default: return false;
    }
}

const char* format_name(DataFormat format);

// Bytes of one datum; block-float formats have none and end the run, naming `call`.
uint32_t datum_bytes(DataFormat format, const char* call);

// Consecutive data; not for block-float formats.
void decode_data(const uint8_t* bytes, DataFormat format, uint32_t count, uint32_t* words);
// wide: the words come from 32-bit DST and are rounded, else they fit 16 bits already.
void encode_data(const uint32_t* words, DataFormat format, uint32_t count, bool wide, uint8_t* bytes);

// Two adjacent faces as bfloat16; consecutive rows of 32 data are `row_bytes` apart.
void encode_bfloat16_rows(
    const uint32_t* left, const uint32_t* right, uint32_t num_rows, bool wide, uint8_t* bytes, size_t row_bytes);

// A whole tile; face f is at words + 256 f. Rows a face of this geometry does not have are set to zero.
void decode_tile(const uint8_t* bytes, DataFormat format, const TileGeometry& geometry, uint32_t* words);
void encode_tile(const uint32_t* words, DataFormat format, const TileGeometry& geometry, bool wide, uint8_t* bytes);

}  // namespace tw
