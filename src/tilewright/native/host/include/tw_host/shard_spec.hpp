// SPDX-License-Identifier: Apache-2.0
// How a sharded tensor is cut, and on which cores it lies.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <tuple>
#include <utility>

#include "tw_host/cores.hpp"
#include "tw_host/shape.hpp"
#include "tw_host/types.hpp"

namespace tt::tt_metal {

struct ShardSpec {
    CoreRangeSet grid;
    std::array<std::uint32_t, 2> shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
    ShardSpec(
        const CoreRangeSet& grid,
        const std::array<std::uint32_t, 2>& shape,
        const ShardOrientation& orientation = ShardOrientation::ROW_MAJOR) :
        grid(grid), shape(shape), orientation(orientation) {}
    std::uint32_t num_cores() const { return grid.num_cores(); }
    std::uint32_t numel() const { return shape[0] * shape[1]; }
    auto attribute_values() const { return std::forward_as_tuple(grid, shape, orientation); }
    friend bool operator==(const ShardSpec&, const ShardSpec&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const ShardSpec& spec);
};

struct NdShardSpec {
    NdShardSpec with_shard_shape(Shape shape) const {
        NdShardSpec spec = *this;
        spec.shard_shape = std::move(shape);
        return spec;
    }
    Shape shard_shape;
    CoreRangeSet grid;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
    ShardDistributionStrategy shard_distribution_strategy = ShardDistributionStrategy::ROUND_ROBIN_1D;
    auto attribute_values() const {
        return std::forward_as_tuple(shard_shape, grid, orientation, shard_distribution_strategy);
    }
    friend bool operator==(const NdShardSpec&, const NdShardSpec&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const NdShardSpec& spec);
};

struct ShardSpecBuffer {
    ShardSpec tensor_shard_spec;
    std::array<std::uint32_t, 2> page_shape;
    std::array<std::uint32_t, 2> tensor2d_shape_in_pages;
    CoreRangeSet grid() const { return tensor_shard_spec.grid; }
    std::array<std::uint32_t, 2> shape() const { return tensor_shard_spec.shape; }
    ShardOrientation orientation() const { return tensor_shard_spec.orientation; }
    std::array<std::uint32_t, 2> shape_in_pages() const {
        return {div_up(shape()[0], page_shape[0]), div_up(shape()[1], page_shape[1])};
    }
    DeviceAddr num_pages() const { return DeviceAddr{shape_in_pages()[0]} * shape_in_pages()[1]; }
};

}  // namespace tt::tt_metal
