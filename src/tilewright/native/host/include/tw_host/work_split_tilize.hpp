// SPDX-License-Identifier: Apache-2.0
// Blocks of tiles over cores, as tilize and untilize split them: equal shares, and a last core with the rest.
#pragma once

#include <vector>

#include "tw_host/ttnn_types.hpp"

namespace ttnn {
namespace operations::core::work_split {

struct BlockSplit {
    std::uint32_t ncores;
    CoreRangeSet all_cores;
    CoreRangeSet core_range;
    CoreRangeSet core_range_cliff;
    std::uint32_t nblocks_per_core;
    std::uint32_t nblocks_per_core_cliff;
};

struct BlockSplitWH {
    std::uint32_t ncores = 0;
    CoreRangeSet all_cores;
    CoreRangeSet core_range;
    CoreRangeSet cliff_row_core_range;
    CoreRangeSet cliff_col_core_range;
    CoreRangeSet cliff_col_row_core_range;
    std::uint32_t nblocks_per_core = 0;
    std::uint32_t single_block_size = 0;
    std::uint32_t single_block_size_cliff_row = 0;
    std::uint32_t single_block_size_cliff_col = 0;
    bool has_cliff_row = false;
    bool has_cliff_col = false;
    std::uint32_t full_cores_per_row = 0;
    std::uint32_t full_cores_per_col = 0;
    std::uint32_t single_sub_block_size = 0;
};
struct NcoresWH {
    std::uint32_t ncores = 0;
    std::uint32_t nblocks_per_core = 0;
    std::uint32_t total_blocks_width = 0;
    std::uint32_t total_blocks_height = 0;
    std::uint32_t single_block_size = 0;
};

// Rows of blocks, so many times: blocks of data, a block of data and padding with `n_mixed` rows of data, blocks of
// padding. Only data, or only padding, counts as one time.
struct BlockRep {
    std::uint32_t n_data, n_mixed, n_pads, times;
    BlockRep(std::uint32_t data, std::uint32_t mixed, std::uint32_t pads, std::uint32_t times) :
        n_data(data), n_mixed(mixed), n_pads(pads), times(times) {
        if (n_mixed == 0 && (n_data == 0 || n_pads == 0)) {
            n_data *= times;
            n_pads *= times;
            this->times = 1;
        }
    }
    bool has_mixed_block() const { return n_mixed > 0; }
    std::uint32_t single_rep() const { return n_data + (has_mixed_block() ? 1 : 0) + n_pads; }
    std::uint32_t block_count() const { return single_rep() * times; }
    std::uint32_t data_row_count() const { return (n_data * 32 + n_mixed) * times; }
};
inline bool compare_assignments(const BlockRep& a, const BlockRep& b) {
    return a.n_data == b.n_data && a.n_mixed == b.n_mixed && a.n_pads == b.n_pads && a.times == b.times;
}

// Squares of tiles for the cores of a grid.
NcoresWH compute_ncores_wh(
    std::size_t cores, std::uint32_t blocks, std::uint32_t width_tiles, std::uint32_t height_tiles);
// A matrix of tiles cut into squares: full ones, the last of each row, the last row, and its last one.
BlockSplitWH split_blocks_for_tilize_wh(
    CoreCoord grid,
    std::uint32_t blocks,
    std::uint32_t width_tiles,
    std::uint32_t height_tiles,
    std::optional<std::uint32_t> single_block_size_limit = std::nullopt);
BlockSplitWH split_blocks_for_tilize_wh(
    const CoreRangeSet& grid,
    std::uint32_t blocks,
    std::uint32_t width_tiles,
    std::uint32_t height_tiles,
    std::optional<std::uint32_t> single_block_size_limit = std::nullopt);
// What each core has of a padded tensor's rows of blocks.
std::vector<std::vector<BlockRep>> distribute_work(
    const Shape& logical_shape,
    const Shape& padded_shape,
    std::uint32_t num_cores,
    std::uint32_t blocks_per_core,
    bool has_cliff,
    std::uint32_t blocks_of_cliff,
    std::uint32_t tile_height);

// Cores that are needed, and blocks of each.
inline std::pair<int, int> compute_ncores(std::size_t cores, std::uint32_t blocks) {
    const std::uint32_t share = cores == 0 ? 1 : (blocks + cores - 1) / cores;
    return {static_cast<int>(share == 0 ? 0 : (blocks + share - 1) / share), static_cast<int>(share)};
}

inline BlockSplit split_blocks_over(const std::vector<CoreCoord>& cores, std::uint32_t blocks) {
    const auto [count, share] = compute_ncores(cores.size(), blocks);
    const std::uint32_t rest = share == 0 ? 0 : blocks % share;
    const std::size_t full = count - (rest != 0 ? 1 : 0);
    const auto set_of = [&](std::size_t first, std::size_t last) {
        return CoreRangeSet(ttsl::Span<const CoreCoord>(cores.data() + first, last - first));
    };
    return {
        static_cast<std::uint32_t>(count),
        set_of(0, count),
        set_of(0, full),
        set_of(full, count),
        static_cast<std::uint32_t>(share),
        rest};
}

// Cores of a set column by column, as `corerange_to_cores` lists them; those of a grid row by row.
inline BlockSplit split_blocks_for_tilize(const CoreRangeSet& grid, std::uint32_t blocks) {
    return split_blocks_over(tt::tt_metal::corerange_to_cores(grid), blocks);
}
inline BlockSplit split_blocks_for_tilize(CoreCoord grid, std::uint32_t blocks) {
    const CoreRangeSet all(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
    return split_blocks_over(tt::tt_metal::corerange_to_cores(all, std::nullopt, true), blocks);
}

}  // namespace operations::core::work_split
using namespace operations::core::work_split;
}  // namespace ttnn
