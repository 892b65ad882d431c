// SPDX-License-Identifier: Apache-2.0
// Tiles as ttnn's libraries lay them out.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <tuple>

#include "tw_host/types.hpp"

namespace tt::tt_metal {

struct Tile {
    Tile(
        std::array<std::uint32_t, 2> shape = {constants::TILE_HEIGHT, constants::TILE_WIDTH},
        bool transpose_tile = false);
    std::uint32_t get_height() const { return tile_shape_[0]; }
    std::uint32_t get_width() const { return tile_shape_[1]; }
    std::uint32_t get_tile_hw() const { return get_height() * get_width(); }
    std::array<std::uint32_t, 2> get_tile_shape() const { return tile_shape_; }
    std::array<std::uint32_t, 2> get_face_shape() const { return face_shape_; }
    std::uint32_t get_face_hw() const { return face_shape_[0] * face_shape_[1]; }
    std::uint32_t get_num_faces() const { return get_tile_hw() / get_face_hw(); }
    std::uint32_t get_partial_face() const { return get_height() < constants::FACE_HEIGHT; }
    std::uint32_t get_narrow_tile() const { return get_width() < constants::TILE_WIDTH; }
    bool get_transpose_within_face() const { return transpose_within_face_; }
    bool get_transpose_of_faces() const { return transpose_of_faces_; }
    std::uint32_t get_tile_size(const DataFormat& format) const;
    bool operator==(const Tile& other) const;
    auto attribute_values() const { return std::forward_as_tuple(tile_shape_, face_shape_, transpose_within_face_); }
    friend std::ostream& operator<<(std::ostream& stream, const Tile& tile) {
        return stream << "Tile(" << tile.get_height() << "x" << tile.get_width() << ")";
    }

private:
    std::array<std::uint32_t, 2> tile_shape_, face_shape_;
    std::array<std::uint32_t, 5> derived_;  // of the two shapes
    bool transpose_within_face_, transpose_of_faces_;
};
static_assert(sizeof(Tile) == 40);

}  // namespace tt::tt_metal
