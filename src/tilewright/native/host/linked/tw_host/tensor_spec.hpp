// SPDX-License-Identifier: Apache-2.0
// Memory configs, layouts and tensor specs of ttnn's libraries.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <variant>

#include "tw_host/shard_spec.hpp"
#include "tw_host/tile_descriptor.hpp"

namespace tt::tt_metal {

class MemoryConfigImpl;
class TensorLayoutImpl;

class MemoryConfig final {
public:
    MemoryConfig();
    explicit MemoryConfig(
        TensorMemoryLayout memory_layout,
        BufferType buffer_type = BufferType::DRAM,
        std::optional<ShardSpec> shard_spec = std::nullopt);
    explicit MemoryConfig(BufferType buffer_type, std::optional<NdShardSpec> nd_shard_spec = std::nullopt);
    MemoryConfig(const MemoryConfig&);
    MemoryConfig(MemoryConfig&&) noexcept;
    MemoryConfig& operator=(const MemoryConfig&);
    MemoryConfig& operator=(MemoryConfig&&) noexcept;
    ~MemoryConfig();
    TensorMemoryLayout memory_layout() const;
    BufferType buffer_type() const;
    const std::optional<ShardSpec>& shard_spec() const;
    const std::optional<NdShardSpec>& nd_shard_spec() const;
    bool created_with_nd_shard_spec() const;
    bool is_sharded() const;
    bool is_l1() const;
    bool is_dram() const;
    MemoryConfig with_shard_spec(std::optional<ShardSpec> spec) const {
        return MemoryConfig(memory_layout(), buffer_type(), std::move(spec));
    }
    std::uint64_t to_hash() const {
        return ttsl::hash::hash_objects_with_default_seed(
            memory_layout(), buffer_type(), shard_spec(), nd_shard_spec(), created_with_nd_shard_spec());
    }
    friend std::ostream& operator<<(std::ostream& stream, const MemoryConfig& config);

private:
    MemoryConfigImpl* impl_;
};
bool operator==(const MemoryConfig& a, const MemoryConfig& b);

struct RowMajorPageConfig;
struct TilePageConfig;

class PageConfig {
public:
    PageConfig(Layout layout);
    PageConfig(Layout layout, const std::optional<Tile>& tile);
    Layout get_layout() const;
    Tile get_tile() const;

private:
    alignas(4) std::byte config_[sizeof(Tile) + 4];  // a variant of two page configs, and which it is
};

class TensorLayout {
public:
    TensorLayout(
        DataType dtype,
        const PageConfig& page_config,
        const MemoryConfig& memory_config,
        const Alignment& alignment = {});
    TensorLayout(const TensorLayout&);
    TensorLayout(TensorLayout&&) noexcept;
    TensorLayout& operator=(const TensorLayout&);
    TensorLayout& operator=(TensorLayout&&) noexcept;
    ~TensorLayout();
    static TensorLayout fromPaddedShape(
        DataType dtype,
        const PageConfig& page_config,
        const MemoryConfig& memory_config,
        const Shape& logical_shape,
        const Shape& padded_shape);
    Layout get_layout() const;
    Tile get_tile() const;
    PageConfig get_page_config() const;
    DataType get_data_type() const;
    const MemoryConfig& get_memory_config() const;
    const Alignment& get_alignment() const;
    TensorLayout with_memory_config(MemoryConfig config) const;
    Shape compute_padded_shape(const Shape& shape) const;
    bool operator==(const TensorLayout& other) const;
    std::uint64_t to_hash() const {
        return ttsl::hash::hash_objects_with_default_seed(
            get_data_type(), get_layout(), get_tile(), get_memory_config(), get_alignment());
    }

private:
    TensorLayoutImpl* impl_;
};

class TensorSpec final {
public:
    TensorSpec(Shape logical_shape, TensorLayout layout);
    const Shape& logical_shape() const { return logical_shape_; }
    const Shape& padded_shape() const { return padded_shape_; }
    const TensorLayout& tensor_layout() const { return tensor_layout_; }
    DataType data_type() const { return tensor_layout_.get_data_type(); }
    Layout layout() const { return tensor_layout_.get_layout(); }
    PageConfig page_config() const { return tensor_layout_.get_page_config(); }
    const MemoryConfig& memory_config() const { return tensor_layout_.get_memory_config(); }
    Shape2D logical_2d_shape() const { return logical_2d_shape_; }
    Shape2D physical_shape() const { return physical_shape_; }
    Tile tile() const { return tensor_layout_.get_tile(); }
    TensorSpec with_memory_config(MemoryConfig config) const {
        return TensorSpec(logical_shape_, tensor_layout_.with_memory_config(std::move(config)));
    }
    std::size_t compute_packed_buffer_size_bytes() const;
    std::size_t compute_page_size_bytes() const;
    std::size_t compute_consumed_memory_bytes_per_bank(std::size_t page_alignment, std::size_t banks) const;
    std::uint64_t to_hash() const {
        return ttsl::hash::hash_objects_with_default_seed(logical_shape_, padded_shape_, tensor_layout_);
    }

private:
    Shape logical_shape_;
    TensorLayout tensor_layout_;
    Shape padded_shape_;
    Shape2D logical_2d_shape_, physical_shape_;
};
static_assert(sizeof(MemoryConfig) == 8 && sizeof(PageConfig) == 44 && sizeof(TensorSpec) == 152);
static_assert(sizeof(ShardSpec) == 40 && sizeof(NdShardSpec) == 88);

}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::MemoryConfig> {
    std::size_t operator()(const tt::tt_metal::MemoryConfig& config) const { return config.to_hash(); }
};
