// SPDX-License-Identifier: Apache-2.0
// DataFormat as kernels see it.
#pragma once

#include <cstdint>

enum class DataFormat : std::uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    Fp8_e4m3 = 26,
    UInt8 = 30,
    testMan7 = 0x82,
    testMan2 = 0x8A,
    RawUInt32 = 0xf3,
    Invalid = 0xff,
};

constexpr bool is_uint32_format(DataFormat format) { return format == DataFormat::UInt32; }
constexpr bool is_bfp8_b_format(DataFormat format) { return format == DataFormat::Bfp8_b; }
constexpr bool is_bfp4_b_format(DataFormat format) { return format == DataFormat::Bfp4_b; }
