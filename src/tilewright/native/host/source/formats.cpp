// SPDX-License-Identifier: Apache-2.0
#include "tw_host/tile.hpp"
#include "tw_host/types.hpp"

namespace tt {

std::uint32_t datum_size(const DataFormat& format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: return 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::Int16:
        case DataFormat::RawUInt16: return 2;
        case DataFormat::Fp8_e4m3:
        case DataFormat::Int8:
        case DataFormat::Lf8:
        case DataFormat::UInt8:
        case DataFormat::RawUInt8: return 1;
        default:
            throw std::invalid_argument(
                "an element of " + tw::host::enum_name(format) + " has no size of its own: tiles have exponents too");
    }
}

namespace {
// Bytes of `elements` elements: block formats have an exponent byte for each 16.
std::uint32_t block_bytes(DataFormat format, std::uint32_t elements) {
    switch (format) {
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return elements / 4 + elements / 16;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return elements / 2 + elements / 16;
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return elements + elements / 16;
        default: return elements * datum_size(format);
    }
}
}  // namespace

std::uint32_t tile_size(const DataFormat& format) { return block_bytes(format, constants::TILE_HW); }

bool is_integer_format(DataFormat format) {
    switch (format) {
        case DataFormat::Int8:
        case DataFormat::Int16:
        case DataFormat::Int32:
        case DataFormat::UInt8:
        case DataFormat::UInt16:
        case DataFormat::UInt32: return true;
        default: return false;
    }
}

}  // namespace tt

namespace tt::tt_metal {

std::uint32_t Tile::get_tile_size(const DataFormat& format) const { return block_bytes(format, get_tile_hw()); }

bool is_floating_point(DataType dtype) {
    return dtype == DataType::BFLOAT16 || dtype == DataType::FLOAT32 || is_block_float(dtype);
}
bool is_block_float(DataType dtype) { return dtype == DataType::BFLOAT8_B || dtype == DataType::BFLOAT4_B; }

}  // namespace tt::tt_metal
