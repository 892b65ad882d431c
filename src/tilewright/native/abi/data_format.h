// SPDX-License-Identifier: Apache-2.0
// Data formats, numbered as on a card and its host. Kernels and engine use these; the host's side is DataFormat in
// _tensor/dtype.py, and a test holds the two equal. Python kernels have those without a comment.
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
    Fp8_e4m3 = 26,  // Blackhole only
    UInt8 = 30,
    RawUInt8 = 0xf0,  // host only
    RawUInt16 = 0xf1,  // host only
    RawUInt32 = 0xf2,  // host only
    Invalid = 0xff,
};
