// SPDX-License-Identifier: Apache-2.0
// Tile formats of each CB, as given by the host. Defined in tw/generated_dependent.h, where the generated tables are
// known.
#pragma once

#include <cstdint>

#include "tensix_types.h"

#define DATA_FORMATS_DEFINED
#define DFB_DESCRIPTORS_DEFINED

constexpr std::int32_t get_tile_size(std::int32_t operand);
constexpr std::uint32_t get_tile_hw(std::int32_t operand);
constexpr std::uint32_t get_tile_num_faces(std::int32_t operand);
constexpr DataFormat get_dataformat(std::int32_t operand);

namespace tw {

constexpr std::uint32_t tile_rows(std::uint32_t operand);
constexpr std::uint32_t tile_columns(std::uint32_t operand);
constexpr std::uint32_t face_rows(std::uint32_t operand);
constexpr std::uint32_t partial_face(std::uint32_t operand);
constexpr std::uint32_t narrow_tile(std::uint32_t operand);
constexpr std::uint32_t faces_per_tile_column(std::uint32_t operand);
constexpr std::uint32_t faces_per_tile_row(std::uint32_t operand);
constexpr DataFormat unpacked_format(std::uint32_t operand);
constexpr DataFormat format_to_pack(std::uint32_t operand);
constexpr DataFormat packed_format(std::uint32_t operand);

}  // namespace tw
