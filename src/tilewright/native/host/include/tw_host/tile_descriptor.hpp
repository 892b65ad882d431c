// SPDX-License-Identifier: Apache-2.0
// Tiles in program descriptors.
#pragma once

#include <cstdint>

#include "tw_host/tile.hpp"

namespace tt::tt_metal {

struct TileDescriptor {
    TileDescriptor() = default;
    TileDescriptor(const Tile& tile) : height(tile.get_height()), width(tile.get_width()) {}
    TileDescriptor(std::uint32_t height, std::uint32_t width, bool transpose) :
        height(height), width(width), transpose(transpose) {}
    std::uint32_t height = constants::TILE_HEIGHT;
    std::uint32_t width = constants::TILE_WIDTH;
    bool transpose = false;
    friend bool operator==(const TileDescriptor&, const TileDescriptor&) = default;
};

}  // namespace tt::tt_metal
