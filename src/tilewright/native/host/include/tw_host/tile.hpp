// SPDX-License-Identifier: Apache-2.0
// Tiles: their shape and their faces.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <tuple>

#include "tw_host/types.hpp"

namespace tt::tt_metal {

struct Tile {
    Tile(
        std::array<std::uint32_t, 2> shape = {constants::TILE_HEIGHT, constants::TILE_WIDTH},
        bool transpose_tile = false) :
        tile_shape_(shape), transpose_(transpose_tile) {}
    std::uint32_t get_height() const { return tile_shape_[0]; }
    std::uint32_t get_width() const { return tile_shape_[1]; }
    std::uint32_t get_tile_hw() const { return get_height() * get_width(); }
    std::array<std::uint32_t, 2> get_tile_shape() const { return tile_shape_; }
    std::array<std::uint32_t, 2> get_face_shape() const {
        return {std::min(get_height(), constants::FACE_HEIGHT), constants::FACE_WIDTH};
    }
    std::uint32_t get_face_hw() const { return get_face_shape()[0] * get_face_shape()[1]; }
    std::uint32_t get_num_faces() const { return get_tile_hw() / get_face_hw(); }
    std::uint32_t get_partial_face() const { return get_height() < constants::FACE_HEIGHT; }
    std::uint32_t get_narrow_tile() const { return get_width() < constants::TILE_WIDTH; }
    bool get_transpose_within_face() const { return transpose_; }
    bool get_transpose_of_faces() const { return transpose_; }
    std::uint32_t get_tile_size(const DataFormat& format) const;
    auto attribute_values() const { return std::forward_as_tuple(tile_shape_, transpose_); }
    friend bool operator==(const Tile&, const Tile&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const Tile& tile) {
        return stream << "Tile(" << tile.get_height() << "x" << tile.get_width() << ")";
    }

private:
    std::array<std::uint32_t, 2> tile_shape_;
    bool transpose_;
};

}  // namespace tt::tt_metal
