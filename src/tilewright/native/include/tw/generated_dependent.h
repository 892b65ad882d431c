// SPDX-License-Identifier: Apache-2.0
// Tile sizes and formats of circular buffers, and compile-time arguments. It comes after a kernel's generated part.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tw/arguments.h"
#include "tw/division.h"
#include "tw/tile_formats.h"

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif
#ifndef KERNEL_COMPILE_TIME_ARG_MAP
#define KERNEL_COMPILE_TIME_ARG_MAP
#endif

namespace tw {

template <typename... Values>
constexpr std::array<std::uint32_t, sizeof...(Values)> words(Values... values) {
    return {std::uint32_t(values)...};
}

}  // namespace tw

constexpr auto kernel_compile_time_args = tw::words(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Idx>
constexpr uint32_t get_ct_arg() {
    static_assert(
        Idx < kernel_compile_time_args.size(), "get_compile_time_arg_val: the kernel was given fewer arguments");
    return kernel_compile_time_args[Idx];
}

namespace tw {
// The unnamed first entry keeps the list from being empty.
constexpr std::pair<std::string_view, uint32_t> named_compile_time_args[] = {{"", 0}, KERNEL_COMPILE_TIME_ARG_MAP};
}  // namespace tw

constexpr uint32_t get_named_ct_arg(std::string_view name) {
    for (const auto& [known, value] : tw::named_compile_time_args) {
        if (known == name) {
            return value;
        }
    }
    tw_kernel_failed("get_named_compile_time_arg_val: the kernel was given no argument of that name");
}
constexpr uint32_t get_named_compile_time_arg_val(std::string_view name) { return get_named_ct_arg(name); }

FORCE_INLINE constexpr std::int32_t get_tile_size(std::int32_t operand) { return unpack_tile_size[operand]; }
FORCE_INLINE constexpr std::uint32_t get_tile_hw(std::int32_t operand) {
    return std::uint32_t(unpack_tile_r_dim[operand]) * unpack_tile_c_dim[operand];
}
constexpr std::uint32_t get_tile_num_faces(std::int32_t operand) { return unpack_tile_num_faces[operand]; }
FORCE_INLINE constexpr DataFormat get_dataformat(std::int32_t operand) {
    return DataFormat(unpack_src_format[operand]);
}

namespace tw {

constexpr std::uint32_t tile_rows(std::uint32_t operand) { return unpack_tile_r_dim[operand]; }
constexpr std::uint32_t tile_columns(std::uint32_t operand) { return unpack_tile_c_dim[operand]; }
constexpr std::uint32_t face_rows(std::uint32_t operand) { return unpack_tile_face_r_dim[operand]; }
constexpr std::uint32_t partial_face(std::uint32_t operand) { return unpack_partial_face[operand]; }
constexpr std::uint32_t narrow_tile(std::uint32_t operand) { return unpack_narrow_tile[operand]; }
constexpr std::uint32_t faces_per_tile_column(std::uint32_t operand) { return unpack_num_faces_r_dim[operand]; }
constexpr std::uint32_t faces_per_tile_row(std::uint32_t operand) { return unpack_num_faces_c_dim[operand]; }
constexpr DataFormat unpacked_format(std::uint32_t operand) { return DataFormat(unpack_dst_format[operand]); }
constexpr DataFormat format_to_pack(std::uint32_t operand) { return DataFormat(pack_src_format[operand]); }
constexpr DataFormat packed_format(std::uint32_t operand) { return DataFormat(pack_dst_format[operand]); }

}  // namespace tw

#ifdef TW_FABRIC
#include "tw/fabric_memory.h"
#endif
#ifdef COMPILE_FOR_TRISC
#include "tw/generated_dependent_compute.h"
#endif
