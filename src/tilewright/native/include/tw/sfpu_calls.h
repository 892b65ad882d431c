// SPDX-License-Identifier: Apache-2.0
// How the vector-unit headers reach the engine. Most of those headers are generated: _build/sfpu_headers.py writes them
// from the rows of abi/sfpu_functions.inl.
#pragma once

#include <cstdint>

#include "../../abi/sfpu.h"
#include "api/compute/common_globals.h"

namespace ckernel {

// Operations of binop_with_scalar.h.
enum { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };

}  // namespace ckernel

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

}  // namespace ckernel::sfpu_call
