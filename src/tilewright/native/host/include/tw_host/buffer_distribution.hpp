// SPDX-License-Identifier: Apache-2.0
// Which core has which pages of a sharded tensor.
//
// The tensor's pages are a grid of as many dimensions as the shard has (leading dimensions are folded into the first
// one). Shards are numbered in row-major order and given to the cores in turn, or in equal runs (CONTIGUOUS_1D).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tw_host/cores.hpp"
#include "tw_host/shape.hpp"
#include "tw_host/types.hpp"

namespace tt::tt_metal {

// A page of the tensor and the place it has on a core.
struct MappedPage {
    std::uint32_t core_id = 0;
    std::uint32_t host_page = 0;
    std::uint32_t device_page = 0;
};

class UncompressedBufferPageMapping {
public:
    static constexpr std::uint32_t PADDING = std::numeric_limits<std::uint32_t>::max();
    std::vector<CoreCoord> all_cores;
    std::vector<std::vector<std::uint32_t>> core_host_page_indices;  // by core, then by page of the core

    // Pages that hold data, core by core.
    std::vector<MappedPage> pages() const;
    std::vector<MappedPage>::const_iterator begin() const;
    std::vector<MappedPage>::const_iterator end() const;

private:
    mutable std::optional<std::vector<MappedPage>> listed_;
};
using BufferPageMapping = UncompressedBufferPageMapping;

class BufferDistributionSpec {
public:
    static BufferDistributionSpec from_shard_spec(
        Shape tensor_shape,
        Shape shard_shape,
        Shape2D page_shape,
        const CoreRangeSet& cores,
        ShardOrientation orientation,
        ShardDistributionStrategy strategy = ShardDistributionStrategy::ROUND_ROBIN_1D);
    BufferDistributionSpec(
        const Shape& tensor_shape_in_pages,
        const Shape& shard_shape_in_pages,
        const CoreRangeSet& cores,
        ShardOrientation orientation,
        ShardDistributionStrategy strategy = ShardDistributionStrategy::ROUND_ROBIN_1D);
    BufferDistributionSpec(
        const Shape& tensor_shape_in_pages, const Shape& shard_shape_in_pages, std::vector<CoreCoord> cores);

    const Shape& tensor_shape_in_pages() const { return tensor_; }
    const Shape& shard_shape_in_pages() const { return shard_; }
    std::size_t num_shards() const;
    std::size_t max_num_shards_per_core() const;
    std::size_t max_num_dev_pages_per_core() const { return max_num_shards_per_core() * shard_.volume(); }
    std::size_t num_cores() const { return cores_.size(); }
    std::size_t num_cores_with_data() const { return cores_with_data().size(); }
    const std::vector<CoreCoord>& cores() const { return cores_; }
    std::vector<CoreCoord> cores_with_data() const;
    std::size_t num_shards_per_core(std::size_t core) const;
    std::size_t num_dev_pages_per_core(std::size_t core) const { return num_shards_per_core(core) * shard_.volume(); }
    ShardDistributionStrategy shard_distribution_strategy() const { return strategy_; }

    struct CoreGroups {
        CoreRangeSet cores_with_data;
        CoreRangeSet cores_in_group_1;
        CoreRangeSet cores_in_group_2;
        std::size_t num_shards_per_core_in_group_1 = 0;
        std::size_t num_shards_per_core_in_group_2 = 0;
    };
    // Cores with one more shard, and the others that have data.
    CoreGroups core_groups() const;
    std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t, std::uint32_t>
    core_groups_tuple() const;
    UncompressedBufferPageMapping compute_page_mapping() const;

private:
    std::size_t core_of(std::size_t shard) const;
    std::size_t place_of(std::size_t shard) const;
    std::vector<std::uint32_t> shard_counts() const;
    Shape tensor_, shard_;
    std::vector<CoreCoord> cores_;
    ShardDistributionStrategy strategy_ = ShardDistributionStrategy::ROUND_ROBIN_1D;
};

namespace detail {
// The two shapes with the fewest dimensions that give the same shards.
std::pair<Shape, Shape> squeeze_shape_ranks(const Shape& tensor_shape, const Shape& shard_shape);
}  // namespace detail

}  // namespace tt::tt_metal
