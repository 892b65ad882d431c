// SPDX-License-Identifier: Apache-2.0
// Where and how a tensor lies: shard specs, memory configs, layouts and tensor specs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <tuple>
#include <variant>
#include <vector>

#include "tw_host/buffer_distribution.hpp"
#include "tw_host/shard_spec.hpp"
#include "tw_host/tile_descriptor.hpp"

namespace tt::tt_metal {

class MemoryConfig {
public:
    MemoryConfig() = default;
    explicit MemoryConfig(
        TensorMemoryLayout memory_layout,
        BufferType buffer_type = BufferType::DRAM,
        std::optional<ShardSpec> shard_spec = std::nullopt) :
        memory_layout_(memory_layout), buffer_type_(buffer_type), shard_spec_(std::move(shard_spec)) {}
    explicit MemoryConfig(BufferType buffer_type, std::optional<NdShardSpec> nd_shard_spec = std::nullopt) :
        memory_layout_(nd_shard_spec ? TensorMemoryLayout::ND_SHARDED : TensorMemoryLayout::INTERLEAVED),
        buffer_type_(buffer_type),
        nd_shard_spec_(std::move(nd_shard_spec)),
        created_with_nd_shard_spec_(nd_shard_spec_.has_value()) {}
    TensorMemoryLayout memory_layout() const { return memory_layout_; }
    BufferType buffer_type() const { return buffer_type_; }
    const std::optional<ShardSpec>& shard_spec() const { return shard_spec_; }
    const std::optional<NdShardSpec>& nd_shard_spec() const { return nd_shard_spec_; }
    bool created_with_nd_shard_spec() const { return created_with_nd_shard_spec_; }
    bool is_sharded() const { return memory_layout_ != TensorMemoryLayout::INTERLEAVED; }
    bool is_l1() const { return buffer_type_ == BufferType::L1 || buffer_type_ == BufferType::L1_SMALL; }
    bool is_dram() const { return buffer_type_ == BufferType::DRAM; }
    MemoryConfig with_shard_spec(std::optional<ShardSpec> spec) const {
        return MemoryConfig(memory_layout_, buffer_type_, std::move(spec));
    }
    // A config as ttnn describes it, with both kinds of shard spec where a tensor has both.
    static MemoryConfig described(
        TensorMemoryLayout layout,
        BufferType type,
        std::optional<ShardSpec> shards,
        std::optional<NdShardSpec> nd_shards,
        bool created_with_nd);
    auto attribute_values() const {
        return std::forward_as_tuple(
            memory_layout_, buffer_type_, shard_spec_, nd_shard_spec_, created_with_nd_shard_spec_);
    }
    friend bool operator==(const MemoryConfig& a, const MemoryConfig& b);
    friend std::ostream& operator<<(std::ostream& stream, const MemoryConfig& config);

private:
    TensorMemoryLayout memory_layout_ = TensorMemoryLayout::INTERLEAVED;
    BufferType buffer_type_ = BufferType::DRAM;
    std::optional<ShardSpec> shard_spec_;
    std::optional<NdShardSpec> nd_shard_spec_;
    bool created_with_nd_shard_spec_ = false;
};

// Allocations of a kind that no tensor here has: each core for itself, or a range of cores at one address.
namespace experimental::per_core_allocation {
inline bool is_per_core_allocation(const MemoryConfig&) { return false; }
void set_per_core_allocation(MemoryConfig& config, bool on);
}  // namespace experimental::per_core_allocation
namespace experimental::range_lockstep_allocation {
inline bool is_range_lockstep_allocation(const MemoryConfig&) { return false; }
void set_range_lockstep_allocation(MemoryConfig& config, bool on);
}  // namespace experimental::range_lockstep_allocation

struct RowMajorPageConfig {
    bool operator==(const RowMajorPageConfig&) const = default;
};
struct TilePageConfig {
    Tile tile;
    bool operator==(const TilePageConfig&) const = default;
};

class PageConfig {
public:
    using Config = std::variant<RowMajorPageConfig, TilePageConfig>;
    PageConfig(Config config) : config_(std::move(config)) {}
    PageConfig(Layout layout) : PageConfig(layout, std::nullopt) {}
    PageConfig(Layout layout, const std::optional<Tile>& tile) :
        config_(layout == Layout::TILE ? Config(TilePageConfig{tile.value_or(Tile())}) : Config(RowMajorPageConfig{})),
        row_major_tile_(tile) {}
    Layout get_layout() const { return config_.index() == 0 ? Layout::ROW_MAJOR : Layout::TILE; }
    Tile get_tile() const {
        const auto* tiled = std::get_if<TilePageConfig>(&config_);
        return tiled != nullptr ? tiled->tile : row_major_tile_.value_or(Tile());
    }
    const Config& get_config() const { return config_; }
    // Shards of this multiple have whole tiles, or whole words of four bytes.
    Alignment get_recommended_shard_shape_alignment(DataType dtype) const;
    bool operator==(const PageConfig& other) const { return config_ == other.config_; }
    auto attribute_values() const { return std::make_tuple(get_layout(), get_tile()); }

private:
    Config config_;
    std::optional<Tile> row_major_tile_;
};

class TensorLayout {
public:
    TensorLayout(
        DataType dtype,
        const PageConfig& page_config,
        const MemoryConfig& memory_config,
        const Alignment& alignment = {});
    static TensorLayout fromPaddedShape(
        DataType dtype,
        const PageConfig& page_config,
        const MemoryConfig& memory_config,
        const Shape& logical_shape,
        const Shape& padded_shape);
    Layout get_layout() const { return page_config_.get_layout(); }
    Tile get_tile() const { return page_config_.get_tile(); }
    PageConfig get_page_config() const { return page_config_; }
    DataType get_data_type() const { return dtype_; }
    const MemoryConfig& get_memory_config() const { return memory_config_; }
    const Alignment& get_alignment() const { return alignment_; }
    TensorLayout with_memory_config(MemoryConfig config) const {
        return TensorLayout(dtype_, page_config_, config, alignment_);
    }
    Shape compute_padded_shape(const Shape& shape) const;
    Shape2D compute_physical_shape(const Shape& shape) const;
    Shape2D compute_page_shape(const Shape2D& physical) const;
    std::size_t compute_page_size_bytes(const Shape& shape) const;
    std::size_t compute_packed_buffer_size_bytes(const Shape& shape) const;
    auto attribute_values() const { return std::forward_as_tuple(dtype_, page_config_, memory_config_, alignment_); }
    bool operator==(const TensorLayout& other) const {
        return dtype_ == other.dtype_ && page_config_ == other.page_config_ && memory_config_ == other.memory_config_ &&
               alignment_ == other.alignment_;
    }

private:
    DataType dtype_;
    PageConfig page_config_;
    MemoryConfig memory_config_;
    Alignment alignment_;
};

// How a sharded buffer lies on its cores.
class BufferShardingArgs {
public:
    BufferShardingArgs(
        std::optional<BufferDistributionSpec> distribution,
        std::optional<ShardSpec> shards,
        TensorMemoryLayout layout) :
        distribution_(std::move(distribution)), shards_(std::move(shards)), layout_(layout) {}
    const std::optional<BufferDistributionSpec>& buffer_distribution_spec() const { return distribution_; }
    const std::optional<ShardSpec>& shard_spec() const { return shards_; }
    TensorMemoryLayout buffer_layout() const { return layout_; }

private:
    std::optional<BufferDistributionSpec> distribution_;
    std::optional<ShardSpec> shards_;
    TensorMemoryLayout layout_;
};

class TensorSpec {
public:
    TensorSpec(Shape logical_shape, TensorLayout layout) :
        logical_shape_(std::move(logical_shape)),
        tensor_layout_(std::move(layout)),
        padded_shape_(tensor_layout_.compute_padded_shape(logical_shape_)) {}
    const Shape& logical_shape() const { return logical_shape_; }
    const TensorLayout& tensor_layout() const { return tensor_layout_; }
    DataType data_type() const { return tensor_layout_.get_data_type(); }
    Layout layout() const { return tensor_layout_.get_layout(); }
    PageConfig page_config() const { return tensor_layout_.get_page_config(); }
    const MemoryConfig& memory_config() const { return tensor_layout_.get_memory_config(); }
    const Shape& padded_shape() const { return padded_shape_; }
    Shape2D physical_shape() const { return tensor_layout_.compute_physical_shape(logical_shape_); }
    Shape2D logical_2d_shape() const;
    Tile tile() const { return tensor_layout_.get_tile(); }
    TensorSpec with_memory_config(MemoryConfig config) const {
        return TensorSpec(logical_shape_, tensor_layout_.with_memory_config(std::move(config)));
    }
    std::size_t compute_packed_buffer_size_bytes() const {
        return tensor_layout_.compute_packed_buffer_size_bytes(logical_shape_);
    }
    std::size_t compute_page_size_bytes() const { return tensor_layout_.compute_page_size_bytes(logical_shape_); }
    BufferShardingArgs compute_buffer_sharding_args() const;
    std::size_t compute_consumed_memory_bytes_per_bank(std::size_t page_alignment, std::size_t banks) const;
    // The same tensor cut into a shard for each core.
    TensorSpec height_sharded(CoreRangeSet grid, ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
    TensorSpec width_sharded(CoreRangeSet grid, ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
    TensorSpec block_sharded(CoreRange grid, ShardOrientation orientation = ShardOrientation::ROW_MAJOR) const;
    auto attribute_values() const { return std::forward_as_tuple(logical_shape_, tensor_layout_); }
    bool operator==(const TensorSpec&) const = default;

private:
    TensorSpec cut(
        TensorMemoryLayout layout,
        const CoreRangeSet& grid,
        ShardOrientation orientation,
        std::size_t down,
        std::size_t across) const;
    Shape logical_shape_;
    TensorLayout tensor_layout_;
    Shape padded_shape_;
};

}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::MemoryConfig> {
    std::size_t operator()(const tt::tt_metal::MemoryConfig& config) const { return tw::host::hash_of(config); }
};
