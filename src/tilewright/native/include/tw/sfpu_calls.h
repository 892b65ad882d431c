// SPDX-License-Identifier: Apache-2.0
// How the vector-unit headers reach the engine. Most functions are `<name>_tile(idst)` with a `<name>_tile_init()`
// that sets up nothing the engine computes with: the families below write them.
#pragma once

#include <cstdint>

#include "../../abi/sfpu.h"
#include "api/compute/common_globals.h"

namespace ckernel::sfpu_call {

// A VectorMode, or the plain int older kernels cast it to.
struct Faces {
    constexpr Faces(VectorMode mode) : value(static_cast<std::uint32_t>(mode)) {}
    constexpr Faces(int mode) : value(static_cast<std::uint32_t>(mode)) {}
    std::uint32_t value;
};

inline void unary_on(
    tw::SfpuUnary op,
    std::uint32_t idst,
    Faces faces,
    std::uint32_t p0 = 0,
    std::uint32_t p1 = 0,
    std::uint32_t p2 = 0) {
    tw_sfpu_unary(static_cast<std::uint32_t>(op), idst, faces.value, p0, p1, p2);
}
inline void unary(
    tw::SfpuUnary op, std::uint32_t idst, std::uint32_t p0 = 0, std::uint32_t p1 = 0, std::uint32_t p2 = 0) {
    unary_on(op, idst, VectorMode::RC, p0, p1, p2);
}
inline void binary_on(
    tw::SfpuBinary op,
    std::uint32_t idst0,
    std::uint32_t idst1,
    std::uint32_t odst,
    Faces faces,
    std::uint32_t p0 = 0,
    std::uint32_t p1 = 0) {
    tw_sfpu_binary(static_cast<std::uint32_t>(op), idst0, idst1, odst, faces.value, p0, p1);
}
inline void binary(
    tw::SfpuBinary op,
    std::uint32_t idst0,
    std::uint32_t idst1,
    std::uint32_t odst,
    std::uint32_t p0 = 0,
    std::uint32_t p1 = 0) {
    binary_on(op, idst0, idst1, odst, VectorMode::RC, p0, p1);
}
inline void ternary(
    tw::SfpuTernary op,
    std::uint32_t idst0,
    std::uint32_t idst1,
    std::uint32_t idst2,
    std::uint32_t odst,
    std::uint32_t p0 = 0) {
    constexpr std::uint32_t all_faces = static_cast<std::uint32_t>(VectorMode::RC);
    tw_sfpu_ternary(static_cast<std::uint32_t>(op), idst0, idst1, idst2, odst, all_faces, p0);
}

// What every init call of the vector unit does on a card; some leave constants of their own as well.
inline void init(tw::SfpuConstants constants = tw::SfpuConstants::None) {
    tw_sfpu_init(static_cast<std::uint32_t>(constants));
}
inline void init(tw::SfpuUnary op) { init(tw::constants_of(op)); }
inline void init(tw::SfpuBinary op) { init(tw::constants_of(op)); }

// The bits an integer format has.
constexpr std::uint32_t format_mask(DataFormat format) { return format == DataFormat::UInt16 ? 0xffffu : 0xffffffffu; }
constexpr bool is_unsigned_format(DataFormat format) {
    return format == DataFormat::UInt32 || format == DataFormat::UInt16;
}
constexpr bool is_integer_format(DataFormat format) {
    return format == DataFormat::Int32 || is_unsigned_format(format);
}

constexpr bool is_float_format(DataFormat format) {
    return format == DataFormat::Float32 || format == DataFormat::Float16_b;
}

}  // namespace ckernel::sfpu_call

// <name>_tile(idst), <name>_tile_init()
#define TW_SFPU_UNARY(name, op) \
    ALWI void name##_tile(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::op, idst); } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuUnary::op); }

// The same with the template argument many take for the width of DST; the engine knows the real one.
#define TW_SFPU_UNARY_DEST(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile(uint32_t idst) { \
        sfpu_call::unary(tw::SfpuUnary::op, idst); \
    } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuUnary::op); }

// ... and on the init call as well.
#define TW_SFPU_UNARY_DEST_BOTH(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile(uint32_t idst) { \
        sfpu_call::unary(tw::SfpuUnary::op, idst); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile_init() { \
        sfpu_call::init(tw::SfpuUnary::op); \
    }

// With one, two or three parameters.
#define TW_SFPU_UNARY_1(name, op) \
    ALWI void name##_tile(uint32_t idst, uint32_t param0) { sfpu_call::unary(tw::SfpuUnary::op, idst, param0); } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuUnary::op); }
#define TW_SFPU_UNARY_2(name, op) \
    ALWI void name##_tile(uint32_t idst, uint32_t param0, uint32_t param1) { \
        sfpu_call::unary(tw::SfpuUnary::op, idst, param0, param1); \
    } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuUnary::op); }
#define TW_SFPU_UNARY_DEST_1(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile(uint32_t idst, uint32_t param0) { \
        sfpu_call::unary(tw::SfpuUnary::op, idst, param0); \
    } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuUnary::op); }
#define TW_SFPU_UNARY_DEST_2(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile(uint32_t idst, uint32_t param0, uint32_t param1) { \
        sfpu_call::unary(tw::SfpuUnary::op, idst, param0, param1); \
    } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuUnary::op); }

// <name>_tile(idst0, idst1, odst), <name>_tile_init()
#define TW_SFPU_BINARY(name, op) \
    ALWI void name##_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        sfpu_call::binary(tw::SfpuBinary::op, idst0, idst1, odst); \
    } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuBinary::op); }
#define TW_SFPU_BINARY_DEST(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        sfpu_call::binary(tw::SfpuBinary::op, idst0, idst1, odst); \
    } \
    ALWI void name##_tile_init() { sfpu_call::init(tw::SfpuBinary::op); }
#define TW_SFPU_BINARY_DEST_BOTH(name, op) \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) { \
        sfpu_call::binary(tw::SfpuBinary::op, idst0, idst1, odst); \
    } \
    template <bool is_fp32_dest_acc_en = false> \
    ALWI void name##_tile_init() { \
        sfpu_call::init(tw::SfpuBinary::op); \
    }
