// SPDX-License-Identifier: Apache-2.0
#include "tw_host/work_split_tilize.hpp"

#include <algorithm>
#include <deque>

namespace ttnn::operations::core::work_split {

using tt::div_up;

namespace {

// Sides of the squares that a matrix of tiles is cut into, and of the parts a core works on at once.
struct SquareSize {
    std::uint32_t block, part;
};

std::uint32_t squares(std::uint32_t width, std::uint32_t height, std::uint32_t side) {
    return div_up(width, side) * div_up(height, side);
}

// Squares of several parts, none wider than `limit`: as many as the cores can take, then as few parts as possible.
SquareSize limited_square(std::size_t cores, std::uint32_t width, std::uint32_t height, std::uint32_t limit) {
    if (squares(width, height, limit) < cores) {
        return {limit, limit};
    }
    std::optional<SquareSize> best;
    std::uint32_t best_count = 0, best_parts = 0;
    for (std::uint32_t part = limit - 1; part >= 1; --part) {
        for (std::uint32_t parts = 2; parts <= div_up(width, part); ++parts) {
            const std::uint32_t side = parts * part;
            const std::uint32_t count = squares(width, height, side);
            const bool fits = count <= cores && width % side < limit;
            const bool better = !best || count > best_count || (count == best_count && parts < best_parts);
            if (fits && better) {
                best = SquareSize{side, part};
                best_count = count;
                best_parts = parts;
            }
        }
    }
    TT_FATAL(best.has_value(), "No solution found for single_block_size");
    return *best;
}

BlockSplitWH split_over(
    const std::vector<CoreCoord>& cores,
    std::uint32_t blocks,
    std::uint32_t width,
    std::uint32_t height,
    std::optional<std::uint32_t> limit) {
    const NcoresWH whole = compute_ncores_wh(cores.size(), blocks, width, height);
    SquareSize size{whole.single_block_size, whole.single_block_size};
    BlockSplitWH split;
    split.nblocks_per_core = whole.nblocks_per_core;
    if (limit && size.block > *limit) {
        size = limited_square(cores.size(), width, height, *limit);
        split.nblocks_per_core = cores.empty() ? 1 : div_up(blocks, static_cast<std::uint32_t>(cores.size()));
    }
    split.single_block_size = size.block;
    split.single_sub_block_size = size.part;
    split.full_cores_per_row = width / size.block;
    split.full_cores_per_col = height / size.block;
    split.single_block_size_cliff_row = width % size.block;
    split.single_block_size_cliff_col = height % size.block;
    split.has_cliff_row = split.single_block_size_cliff_row != 0;
    split.has_cliff_col = split.single_block_size_cliff_col != 0;
    split.ncores = squares(width, height, size.block);
    std::vector<CoreCoord> full, last_of_row, last_row, corner;
    const std::uint32_t per_row = split.full_cores_per_row + (split.has_cliff_row ? 1 : 0);
    for (std::uint32_t number = 0; number < split.ncores; ++number) {
        const bool row_end = number % per_row >= split.full_cores_per_row;
        const bool column_end = number / per_row >= split.full_cores_per_col;
        auto& group = row_end ? (column_end ? corner : last_of_row) : (column_end ? last_row : full);
        group.push_back(cores.at(number));
    }
    const auto set_of = [](const std::vector<CoreCoord>& group) {
        return CoreRangeSet(ttsl::Span<const CoreCoord>(group.data(), group.size()));
    };
    split.all_cores = set_of({cores.begin(), cores.begin() + split.ncores});
    split.core_range = set_of(full);
    split.cliff_row_core_range = set_of(last_of_row);
    split.cliff_col_core_range = set_of(last_row);
    split.cliff_col_row_core_range = set_of(corner);
    return split;
}

// Takes the first `count` blocks off the front of `work`.
std::vector<BlockRep> taken(std::deque<BlockRep>& work, std::uint32_t count) {
    std::vector<BlockRep> result;
    while (count > 0 && !work.empty()) {
        const BlockRep first = work.front();
        work.pop_front();
        if (first.block_count() <= count) {
            result.push_back(first);
            count -= first.block_count();
            continue;
        }
        const std::uint32_t whole = count / first.single_rep();
        const std::uint32_t rest = count % first.single_rep();
        if (first.times > whole + (rest > 0 ? 1 : 0)) {
            work.emplace_front(first.n_data, first.n_mixed, first.n_pads, first.times - whole - (rest > 0 ? 1 : 0));
        }
        if (whole > 0) {
            result.emplace_back(first.n_data, first.n_mixed, first.n_pads, whole);
        }
        if (rest > 0) {
            const std::uint32_t data = std::min(rest, first.n_data);
            const bool mixed = rest > first.n_data && first.has_mixed_block();
            const std::uint32_t pads = rest - data - (mixed ? 1 : 0);
            result.emplace_back(data, mixed ? first.n_mixed : 0, pads, 1);
            work.emplace_front(first.n_data - data, mixed ? 0 : first.n_mixed, first.n_pads - pads, 1);
        }
        count = 0;
    }
    return result;
}

}  // namespace

NcoresWH compute_ncores_wh(
    std::size_t cores, std::uint32_t blocks, std::uint32_t width_tiles, std::uint32_t height_tiles) {
    // The smallest square with a core's share of blocks of which there are fewer than cores.
    const std::uint32_t share = cores == 0 ? 1 : div_up(blocks, static_cast<std::uint32_t>(cores));
    std::uint32_t side = 1;
    bool found = false;
    for (std::uint32_t candidate = 1; cores > 0 && !found && candidate <= width_tiles * height_tiles; ++candidate) {
        found = candidate * candidate >= share && squares(width_tiles, height_tiles, candidate) < cores;
        side = found ? candidate : 1;
    }
    const std::uint32_t across = div_up(width_tiles, side), down = div_up(height_tiles, side);
    return {across * down, side * side, across, down, side};
}

BlockSplitWH split_blocks_for_tilize_wh(
    const CoreRangeSet& grid,
    std::uint32_t blocks,
    std::uint32_t width_tiles,
    std::uint32_t height_tiles,
    std::optional<std::uint32_t> single_block_size_limit) {
    const auto cores = tt::tt_metal::corerange_to_cores(grid, std::nullopt, false);
    return split_over(cores, blocks, width_tiles, height_tiles, single_block_size_limit);
}
BlockSplitWH split_blocks_for_tilize_wh(
    CoreCoord grid,
    std::uint32_t blocks,
    std::uint32_t width_tiles,
    std::uint32_t height_tiles,
    std::optional<std::uint32_t> single_block_size_limit) {
    const CoreRangeSet all(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
    const auto cores = tt::tt_metal::corerange_to_cores(all, std::nullopt, true);
    return split_over(cores, blocks, width_tiles, height_tiles, single_block_size_limit);
}

std::vector<std::vector<BlockRep>> distribute_work(
    const Shape& logical_shape,
    const Shape& padded_shape,
    std::uint32_t num_cores,
    std::uint32_t blocks_per_core,
    bool has_cliff,
    std::uint32_t blocks_of_cliff,
    std::uint32_t tile_height) {
    const std::uint32_t rows = logical_shape[-2], padded_rows = padded_shape[-2];
    const std::uint32_t matrices = logical_shape[-3], padded_matrices = padded_shape[-3];
    const std::uint32_t outer = logical_shape[-4], padded_outer = padded_shape[-4];
    TT_FATAL(
        padded_rows % tile_height == 0,
        "Total rows ({}) must be divisible by tile height ({})",
        padded_rows,
        tile_height);
    std::deque<BlockRep> work;
    for (std::uint32_t index = 0; index < outer; ++index) {
        work.emplace_back(rows / tile_height, rows % tile_height, (padded_rows - rows) / tile_height, matrices);
        if (padded_matrices > matrices) {
            work.emplace_back(0, 0, padded_rows * (padded_matrices - matrices) / tile_height, 1);
        }
    }
    work.emplace_back(0, 0, padded_rows * padded_matrices * (padded_outer - outer), 1);
    std::vector<std::vector<BlockRep>> assignments;
    for (std::uint32_t core = 0; core < num_cores; ++core) {
        assignments.push_back(taken(work, core + 1 == num_cores && has_cliff ? blocks_of_cliff : blocks_per_core));
    }
    return assignments;
}

}  // namespace ttnn::operations::core::work_split
