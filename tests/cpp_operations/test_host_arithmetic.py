# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of the host headers: pages of sharded tensors on cores, and blocks of tiles on cores."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tilewright._build.compiler import find_compiler
from tilewright._cpp_ops.headers import INCLUDE, headers_directory
from tilewright._cpp_ops.host_build import host_library

PROGRAM = r"""
#include <cstdio>
#include <set>
#include "tw_host/binding.hpp"
#include "tw_host/float8.hpp"
#include "tw_host/metal2.hpp"
#include "tw_host/work_split_tilize.hpp"
using namespace tt::tt_metal;
extern "C" void tw_bind_all(nanobind::module_&) {}

int failures = 0;
void require(bool good, const char* what) {
    if (!good) { ++failures; std::puts(what); }
}
const CoreRangeSet four(CoreRange({0, 0}, {1, 1}));

BufferDistributionSpec spec(ShardDistributionStrategy strategy, const CoreRangeSet& cores = four) {
    // 5 x 3 pages in shards of 2 x 2: six shards, the last of each row and column partial.
    return {Shape({5, 3}), Shape({2, 2}), cores, ShardOrientation::ROW_MAJOR, strategy};
}

void page_mappings() {
    const auto turns = spec(ShardDistributionStrategy::ROUND_ROBIN_1D);
    require(turns.num_shards() == 6 && turns.max_num_shards_per_core() == 2, "shards in turn");
    const auto mapping = turns.compute_page_mapping();
    // Shard 0 has pages 0, 1, 3, 4 and shard 4 (pages 12, 13 and padding) follows it on core (0,0).
    const auto padding = UncompressedBufferPageMapping::PADDING;
    require(mapping.core_host_page_indices[0] ==
        std::vector<std::uint32_t>{0, 1, 3, 4, 12, 13, padding, padding}, "pages of the first core");
    require(mapping.core_host_page_indices[1] ==
        std::vector<std::uint32_t>{2, padding, 5, padding, 14, padding, padding, padding}, "pages of the second core");
    std::set<std::uint32_t> seen;
    for (const auto& page : mapping) {
        require(mapping.core_host_page_indices[page.core_id][page.device_page] == page.host_page, "a mapped page");
        seen.insert(page.host_page);
    }
    require(seen.size() == 15, "every page once");
    const auto groups = turns.core_groups();
    require(groups.num_shards_per_core_in_group_1 == 2 && groups.cores_in_group_1.num_cores() == 2, "first group");
    require(groups.num_shards_per_core_in_group_2 == 1 && groups.cores_in_group_2.num_cores() == 2, "second group");

    const auto runs = spec(ShardDistributionStrategy::CONTIGUOUS_1D).compute_page_mapping();
    require(runs.core_host_page_indices[0][4] == 2, "shards 0 and 1 on the first core");

    const auto grid = spec(ShardDistributionStrategy::GRID_2D, CoreRange({2, 1}, {3, 3}));
    require(grid.cores().at(5) == CoreCoord(3, 3) && grid.cores().at(1) == CoreCoord(3, 1), "cores of a grid");

    // Leading dimensions are part of the shard's first one.
    const BufferDistributionSpec folded(Shape({2, 3, 4}), Shape({2, 4}), four, ShardOrientation::ROW_MAJOR);
    require(folded.num_shards() == 3 && folded.tensor_shape_in_pages() == Shape({6, 4}), "folded dimensions");

    const MemoryConfig blocks(
        TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1, ShardSpec(four, {32, 64}, ShardOrientation::ROW_MAJOR));
    const TensorSpec tensor(Shape({2, 32, 128}), TensorLayout(DataType::BFLOAT16, PageConfig(Layout::TILE), blocks));
    const auto tiles = tensor.compute_buffer_sharding_args().buffer_distribution_spec()->compute_page_mapping();
    require(tiles.core_host_page_indices[3] == std::vector<std::uint32_t>{6, 7}, "tiles of a block-sharded tensor");
    require(tensor.compute_consumed_memory_bytes_per_bank(16, 64) == 2 * 2048, "bytes of a bank");
}

// Whether the squares of a split cover a matrix of tiles, each by a core of its own.
void squares(std::uint32_t width, std::uint32_t height, std::optional<std::uint32_t> limit) {
    const auto split = ttnn::split_blocks_for_tilize_wh(CoreCoord(8, 8), width * height, width, height, limit);
    require(split.ncores == split.all_cores.num_cores() && split.ncores <= 64, "one core for each square");
    const std::uint32_t side = split.single_block_size;
    require(split.full_cores_per_row * side + split.single_block_size_cliff_row == width, "the width");
    require(split.full_cores_per_col * side + split.single_block_size_cliff_col == height, "the height");
    require(split.core_range.num_cores() == split.full_cores_per_row * split.full_cores_per_col, "full squares");
    require(split.cliff_row_core_range.num_cores() == (split.has_cliff_row ? split.full_cores_per_col : 0), "rows");
    require(split.cliff_col_core_range.num_cores() == (split.has_cliff_col ? split.full_cores_per_row : 0), "columns");
    require(side % split.single_sub_block_size == 0, "whole parts");
    require(!limit || split.single_sub_block_size <= *limit, "parts no wider than the limit");
}

void rows_of_blocks() {
    // 2 x 2 matrices of 40 rows in 64, and a third matrix of padding each; blocks of 32 rows.
    const auto shares = ttnn::distribute_work(Shape({2, 2, 40, 64}), Shape({2, 3, 64, 64}), 4, 3, false, 0, 32);
    std::uint32_t blocks = 0, rows = 0;
    for (const auto& share : shares) {
        for (const auto& rep : share) {
            blocks += rep.block_count();
            rows += rep.data_row_count();
        }
    }
    require(shares.size() == 4 && blocks == 12 && rows == 160, "every block and every row once");
    require(shares[0][0].n_data == 1 && shares[0][0].n_mixed == 8 && shares[0][0].times == 1, "first matrix");
    require(shares[0][1].n_data == 1 && shares[0][1].n_mixed == 0, "first block of the second matrix");
}

void names_of_other_releases() {
    experimental::ComputeHardwareConfig config;
    std::get<experimental::ComputeGen1Config>(config).enable_32_bit_dest = true;
    require(std::holds_alternative<experimental::ComputeGen1Config>(config), "a config of the first generation");
    require(config.enable_32_bit_dest, "a flag of a config that is a variant");
    const ttnn::SmallVector<std::uint32_t> sizes{33, 64};
    require(::round_up_to_mul32(sizes[0]) == 64 && ::round_up_to_mul16(sizes[0]) == 48, "multiples of 32 and 16");
    const tt::tt_metal::Array4D sides{1, 2, 3, 4};
    require(std::get<std::uint32_t>(tt::tt_metal::PadValue(sides[3])) == 4, "types that moved to ttnn");
    Program program;
    CircularBufferConfig config_of_buffer(4096, {{3, tt::DataFormat::Float16_b}});
    CreateCircularBuffer(program, CoreCoord(0, 0), config_of_buffer.set_page_size(3, 2048));
    const std::shared_ptr<CircularBuffer> buffer = program.circular_buffers().at(0);
    require(buffer->num_pages(3) == 2 && buffer->page_size(3) == 2048, "pages of a circular buffer");
    require(buffer->data_format(3) == tt::DataFormat::Float16_b && buffer->size() == 4096, "format of one");
    require(::round_up_to_tile(33, 32) == 64 && ::round_up_to_tile(64, 32) == 64, "whole tiles");
}

int main() {
    page_mappings();
    names_of_other_releases();
    squares(20, 30, std::nullopt);
    squares(64, 64, std::nullopt);
    squares(200, 3, 7);
    rows_of_blocks();
    for (const auto& [number, bits] : {std::pair(1.0F, 0x38), {-0.5F, 0xB0}, {448.0F, 0x7E}, {1000.0F, 0x7E},
                                       {0.0009765625F, 0x00}, {0.001953125F, 0x01}, {1.0625F, 0x38}, {1.1875F, 0x3A}}) {
        require(float8_e4m3(number).to_bits() == bits, "a number in float8_e4m3");
    }
    return failures;
}
"""


def test_pages_and_blocks_are_distributed_once_each(tmp_path: Path) -> None:
    source, program = tmp_path / "arithmetic.cpp", tmp_path / "arithmetic"
    source.write_text(PROGRAM)
    include = [f"-I{place}" for place in (headers_directory(), INCLUDE)]
    result = find_compiler().run(["-std=c++20", *include, str(source), str(host_library().object), "-o", str(program)])
    assert result.returncode == 0, result.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
