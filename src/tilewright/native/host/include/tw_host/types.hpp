// SPDX-License-Identifier: Apache-2.0
// Enums and small types of the host API: data formats, data types, layouts, processors, tiles, constants.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

#include "tw_host/asserts.hpp"
#include "tw_host/stl.hpp"
#include "wire/data_formats.h"

#ifndef NUM_CIRCULAR_BUFFERS
constexpr static std::uint32_t NUM_CIRCULAR_BUFFERS = 32;
#endif
// Values of a semaphore.
constexpr static std::uint32_t INVALID = 0;
constexpr static std::uint32_t VALID = 1;

namespace tt {

enum class ARCH { GRAYSKULL = 1, WORMHOLE_B0 = 2, BLACKHOLE = 3, QUASAR = 4, Invalid = 0xFF };

// Int16 is of the host only.
enum class DataFormat : std::uint8_t { TW_DATA_FORMATS, Int16 = 13 };
std::uint32_t datum_size(const DataFormat& format);
std::uint32_t tile_size(const DataFormat& format);
bool is_integer_format(DataFormat format);

enum CBIndex : std::uint8_t {
    c_0 = 0,
    c_1,
    c_2,
    c_3,
    c_4,
    c_5,
    c_6,
    c_7,
    c_8,
    c_9,
    c_10,
    c_11,
    c_12,
    c_13,
    c_14,
    c_15,
    c_16,
    c_17,
    c_18,
    c_19,
    c_20,
    c_21,
    c_22,
    c_23,
    c_24,
    c_25,
    c_26,
    c_27,
    c_28,
    c_29,
    c_30,
    c_31,
    SIZE = 32
};

namespace constants {
constexpr std::uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = 1024;
constexpr std::uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = 256;
}  // namespace constants

template <typename A, typename B>
constexpr auto div_up(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>((static_cast<T>(a) + static_cast<T>(b) - 1) / static_cast<T>(b));
}
template <typename A, typename B>
constexpr auto round_up(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(static_cast<T>(b) * div_up(a, b));
}
template <typename A, typename B>
constexpr auto round_down(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(static_cast<T>(b) * (static_cast<T>(a) / static_cast<T>(b)));
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> align(A address, B alignment) {
    return round_up(address, alignment);
}

}  // namespace tt

namespace tt::tt_metal {

using DeviceAddr = std::uint64_t;
using ChipId = int;

enum class DataType {
    BFLOAT16 = 0,
    FLOAT32 = 1,
    UINT32 = 2,
    BFLOAT8_B = 3,
    BFLOAT4_B = 4,
    UINT8 = 5,
    UINT16 = 6,
    INT32 = 7,
    FP8_E4M3 = 8,
    INVALID = 9
};
enum class Layout { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };
enum class TensorMemoryLayout {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
    ND_SHARDED = 5
};
bool is_sharded(const TensorMemoryLayout& layout);
enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };
enum class ShardDistributionStrategy { ROUND_ROBIN_1D = 0, GRID_2D = 1, CONTIGUOUS_1D = 2 };
enum class ShardMode { PHYSICAL, LOGICAL };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4, Invalid = 0xFF };
enum class UnpackToDestMode : std::uint8_t { UnpackToDestFp32, Default };
enum class UnpackMode : std::uint8_t { UnpackToDest, Default, UnpackToSrc = Default };
enum class Precision : std::uint8_t { Approximate, Precise };
enum class DataMovementProcessor { RISCV_0, RISCV_1, RISCV_2, RISCV_3, RISCV_4, RISCV_5, RISCV_6, RISCV_7 };
enum NOC : std::uint8_t { RISCV_0_default = 0, RISCV_1_default = 1, NOC_0 = 0, NOC_1 = 1 };
enum NOC_MODE : std::uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1 };
enum class KernelBuildOptLevel : std::uint8_t { O1, O2, O3, O0, Os, Ofast, Oz };
enum class HalMemType : std::uint8_t { L1, DRAM, HOST };
enum class HalProgrammableCoreType { TENSIX, ACTIVE_ETH, IDLE_ETH };

bool is_floating_point(DataType dtype);
bool is_block_float(DataType dtype);
tt::DataFormat datatype_to_dataformat_converter(DataType dtype);
DataType dataformat_to_datatype_converter(tt::DataFormat format);

struct FaceGeometry {
    std::uint32_t face_r_dim = 16;
    std::uint32_t num_faces = 4;
    friend bool operator==(const FaceGeometry&, const FaceGeometry&) = default;
};

}  // namespace tt::tt_metal

namespace tt {
enum class CoreType { WORKER, ETH, ACTIVE_ETH, IDLE_ETH, TENSIX, DRAM };
}
using tt::CoreType;

// The enums had these names before they moved into tt_metal's namespace.
using tt::ARCH;
using tt::DataFormat;
using tt::tt_metal::MathFidelity;
using tt::tt_metal::Precision;
using tt::tt_metal::UnpackMode;
using tt::tt_metal::UnpackToDestMode;

// tt-metal has these outside its namespaces.
inline std::uint32_t round_up_to_mul16(std::uint32_t value) { return tt::round_up(value, 16U); }
inline std::uint32_t round_up_to_mul32(std::uint32_t value) { return tt::round_up(value, 32U); }
inline std::uint32_t round_up_to_tile(int value, int tile) {
    return static_cast<std::uint32_t>((value + tile - 1) / tile * tile);
}
