// SPDX-License-Identifier: Apache-2.0
// Sizes, blocks, pages of circular buffers and kernel arguments for tile-rows of tiles that pass through a core.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tt-metalium/tt_backend_api_types.hpp>

#include "ttnn/types.hpp"

namespace ttnn::operations::reduction::centralize_w_rm {

constexpr uint32_t TILE = 32;
constexpr bool IN_SLABS = false;  // whether tile-rows begin anew with every slab of the last two dimensions

// The lines of tiles of a tensor: its tile-rows.
struct Lines {
    uint32_t width, height, sticks;

    explicit Lines(const Shape& shape) :
        width(shape[-1]), height(shape[-2]), sticks(static_cast<uint32_t>(shape.volume() / shape[-1])) {
        if (!IN_SLABS) {
            height = sticks;
        }
    }
    uint32_t width_tiles() const { return (width + TILE - 1) / TILE; }
    uint32_t height_tiles() const { return (height + TILE - 1) / TILE; }
    uint32_t slabs() const { return sticks / height; }
    uint32_t last_tile_columns() const { return width - (width_tiles() - 1) * TILE; }
    uint32_t last_tile_rows() const { return height - (height_tiles() - 1) * TILE; }
    uint32_t line_tiles() const { return width_tiles(); }
    uint32_t line_elements() const { return width; }
    uint32_t count() const { return slabs() * height_tiles(); }
};

// What a circular buffer's size follows from: pages for each tile of a line that stays in L1, for each tile of a block,
// in all, and more where the width ends inside a tile. A page is a tile, or with stick_bytes a row of a block.
struct BufferSize {
    const char* name;
    uint32_t index;
    tt::DataFormat format;
    uint32_t per_row, per_block, fixed, partial, tile_bytes, stick_bytes;

    uint32_t pages(const Lines& lines, bool resident, uint32_t block) const {
        const uint32_t row = resident ? lines.line_tiles() : block;
        return per_row * row + per_block * block + fixed + (lines.last_tile_columns() < TILE ? partial : 0);
    }
    uint32_t page_bytes(uint32_t block) const { return stick_bytes != 0 ? block * TILE * stick_bytes : tile_bytes; }
};

// Blocks in the order they are tried. A line that stays is split evenly, into few tiles if at all.
inline std::vector<uint32_t> blocks(uint32_t line_tiles, bool resident) {
    std::vector<uint32_t> all;
    if (!resident) {
        for (uint32_t largest = std::min(64u, line_tiles); largest > 0; --largest) {
            const uint32_t count = (line_tiles + largest - 1) / largest;
            all.push_back((line_tiles + count - 1) / count);
        }
        return all;
    }
    all.push_back(line_tiles);
    std::vector<uint32_t> larger;
    for (uint32_t block = line_tiles / 2; block >= std::min(line_tiles, 8u) && block > 0; --block) {
        if (line_tiles % block == 0) {
            (block <= 16 ? all : larger).push_back(block);
        }
    }
    all.insert(all.end(), larger.begin(), larger.end());
    return all;
}

inline uint32_t float_bits(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

// Everything a kernel may take as a compile-time argument, by name.
inline std::map<std::string, uint32_t> compile_time_values(
    const Lines& lines, uint32_t block, const std::map<std::string, uint32_t>& element_bytes) {
    const uint32_t count = (lines.line_tiles() + block - 1) / block;
    std::map<std::string, uint32_t> values = {
        {"height", lines.height},
        {"height_tiles", lines.height_tiles()},
        {"width_tiles", lines.width_tiles()},
        {"slab_tiles", lines.width_tiles() * lines.height_tiles()},
        {"block_tiles", block},
        {"num_blocks", count},
        {"last_block_tiles", lines.line_tiles() - (count - 1) * block},
        {"last_tile_columns", lines.last_tile_columns()},
        {"last_tile_rows", lines.last_tile_rows()},
        {"inverse_width_bits", float_bits(1.0 / lines.line_elements())},
        // A little more than 1/n: the matrix unit cuts a float32 operand to 10 bits, and this makes the cut round.
        {"mean_factor_bits", float_bits((1 + 0x1p-12) / lines.line_elements())},
    };
    for (const auto& [name, size] : element_bytes) {
        const std::string prefix = name.empty() ? "" : name + "_";
        values[prefix + "stick_bytes"] = lines.width * size;
        values[prefix + "block_bytes"] = block * TILE * size;
        values[prefix + "element_bytes"] = size;
    }
    return values;
}

}  // namespace ttnn::operations::reduction::centralize_w_rm
