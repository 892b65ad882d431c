// SPDX-License-Identifier: Apache-2.0
// Constants of tiles, faces and DST, and small enumerations kernels name.
#pragma once

#include <cstdint>
#include <type_traits>

#include "llk_defs.h"

namespace ckernel {

enum Srcs { SrcA = 0, SrcB = 1, SrcC = 2 };
enum Unpackers { Unp0 = 0, Unp1 = 1, UnpAll = 2 };
enum DstStart { StartZero = 0, StartHalf = 1 };
enum DstClear { ClearRow = 0, Clear16Rows = 1, ClearHalf = 2, ClearFull = 3 };
enum ThreadId { BriscThreadId = 0, UnpackThreadId = 1, MathThreadId = 2, PackThreadId = 3 };
enum class DataLayout { TILE = 0, ROW_MAJOR = 1 };
enum DstTileShape { Tile32x32 = 0, Tile32x16 = 1, Tile16x16 = 2 };
enum UnpackDestination { SrcRegs = 0, DestReg = 1 };
enum SortDir : bool { ArgMax = false, ArgMin = true };
enum class ActivationType { Celu = 0, Elu = 1, Gelu = 2, Hardtanh = 3, Hardsigmoid = 4 };
enum class RoundingMode : std::uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum class DstRoundingMode : std::uint8_t { Default = 0, NearestEven = 1 };
enum class PackMode : std::uint8_t { Default = 0, Untilize = 1, Tilize = 2 };

enum class BinaryOp : std::uint8_t {
    ADD = 0,
    SUB = 1,
    MUL = 2,
    DIV = 3,
    RSUB = 4,
    POW = 5,
    XLOGY = 6,
    RSHFT = 7,
    LSHFT = 8,
    LOGICAL_RSHFT = 9,
    ADD_TOP_ROW = 10,
    LT = 11,
    GT = 12,
    LE = 13,
    GE = 14,
    EQ = 15,
    NE = 16,
    MAX = 17,
    MIN = 18,
    FMOD = 19,
    REMAINDER = 20,
    BITWISE_AND = 21,
    BITWISE_OR = 22,
    BITWISE_XOR = 23,
    DIV_INT32 = 24,
    DIV_INT32_FLOOR = 25,
    GCD = 26,
    LCM = 27,
    RSUB_INT32 = 28,
    MASK = 29,
    ATAN2 = 30,
    MUL_INT32 = 31,
    ISCLOSE = 32,
    LOGSIGMOID = 33,
    EQ_INT = 34,
    NE_INT = 35,
    MAX_INT32 = 36,
    MIN_INT32 = 37,
    MAX_UINT32 = 38,
    MIN_UINT32 = 39,
    REMAINDER_INT32 = 40,
    REMAINDER_UINT32 = 41,
    FMOD_INT32 = 42,
    NEXTAFTER = 43,
    NEXTAFTER_BF16 = 44,
    LOGADDEXP = 45,
    LOGADDEXP2 = 46,
    QUANT = 47,
    REQUANT = 48,
    DEQUANT = 49,
    COPY_DEST = 50,
};

constexpr std::uint32_t FACE_HEIGHT = 16;
constexpr std::uint32_t FACE_WIDTH = 16;
constexpr std::uint32_t TILE_HEIGHT = 32;
constexpr std::uint32_t TILE_WIDTH = 32;
constexpr std::uint32_t FACE_R_DIM = FACE_HEIGHT;
constexpr std::uint32_t FACE_C_DIM = FACE_WIDTH;
constexpr std::uint32_t TILE_R_DIM = TILE_HEIGHT;
constexpr std::uint32_t TILE_C_DIM = TILE_WIDTH;
constexpr std::uint32_t TILE_NUM_FACES = 4;
constexpr std::uint32_t FACE_SIZE = FACE_R_DIM * FACE_C_DIM;

// DST counted in rows of 16 data.
constexpr std::uint32_t DEST_FACE_WIDTH = 16;
constexpr std::uint32_t DEST_REGISTER_FULL_SIZE = 1024;
constexpr std::uint32_t DEST_REGISTER_HALF_SIZE = DEST_REGISTER_FULL_SIZE / 2;
constexpr std::uint32_t DEST_NUM_TILES_FP16 = 16;
constexpr std::uint32_t DEST_NUM_TILES_FP16_HALF = DEST_NUM_TILES_FP16 / 2;

template <typename T>
constexpr auto to_underlying(T value) noexcept {
    return static_cast<std::underlying_type_t<T>>(value);
}

constexpr std::uint32_t masked_data_format(std::uint32_t format) { return format & 0xf; }

// Bytes of `count` data of a format that is not block floating point.
constexpr std::uint32_t SCALE_DATUM_SIZE(std::uint32_t format, std::uint32_t count) {
    switch (static_cast<DataFormat>(masked_data_format(format))) {
        case DataFormat::Float32:
        case DataFormat::Int32: return count * 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16: return count * 2;
        default: return count;
    }
}

constexpr bool IS_BFP_FORMAT(std::uint32_t format) {
    switch (static_cast<DataFormat>(masked_data_format(format))) {
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return true;
        default: return false;
    }
}

}  // namespace ckernel
