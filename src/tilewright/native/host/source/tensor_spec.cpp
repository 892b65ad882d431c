// SPDX-License-Identifier: Apache-2.0
#include "tw_host/tensor_spec.hpp"

#include <algorithm>

namespace tt::tt_metal {

DataFormat datatype_to_dataformat_converter(DataType dtype) {
    switch (dtype) {
        case DataType::BFLOAT16: return DataFormat::Float16_b;
        case DataType::FLOAT32: return DataFormat::Float32;
        case DataType::UINT32: return DataFormat::UInt32;
        case DataType::BFLOAT8_B: return DataFormat::Bfp8_b;
        case DataType::BFLOAT4_B: return DataFormat::Bfp4_b;
        case DataType::UINT8: return DataFormat::UInt8;
        case DataType::UINT16: return DataFormat::UInt16;
        case DataType::INT32: return DataFormat::Int32;
        case DataType::FP8_E4M3: return DataFormat::Fp8_e4m3;
        default: TT_THROW("Unsupported DataType {}", dtype);
    }
}

DataType dataformat_to_datatype_converter(DataFormat format) {
    for (int index = 0; index < static_cast<int>(DataType::INVALID); ++index) {
        if (datatype_to_dataformat_converter(static_cast<DataType>(index)) == format) {
            return static_cast<DataType>(index);
        }
    }
    TT_THROW("Unsupported DataFormat {}", format);
}

bool is_sharded(const TensorMemoryLayout& layout) { return layout != TensorMemoryLayout::INTERLEAVED; }

std::size_t Shape::position(std::int32_t index) const {
    const auto count = static_cast<std::int32_t>(value_.size());
    const auto rank = static_cast<std::int32_t>(rank_);
    if (index < -count || index >= rank) {
        TT_THROW("ShapeBase[] index out of range. {} not in [{}, {})", index, -count, rank);
    }
    return static_cast<std::size_t>(index < 0 ? count + index : count - rank + index);
}

std::uint64_t Shape::volume() const {
    std::uint64_t product = 1;
    for (const std::uint32_t size : value_) {
        product *= size;
    }
    return product;
}

std::uint32_t Shape::get_normalized_index(std::int64_t index) const {
    const auto count = static_cast<std::int64_t>(rank());
    TT_FATAL(
        index >= -count && index < count,
        "Index is out of bounds for the rank, should be between {} and {} however is {}",
        0,
        count - 1,
        index);
    return static_cast<std::uint32_t>(index < 0 ? count + index : index);
}

std::array<std::uint32_t, 4> Shape::to_array_4D() const {
    TT_FATAL(rank() == 4, "to_array_4D is only valid for 4D shapes! Called for {}", *this);
    return {value_[0], value_[1], value_[2], value_[3]};
}

Shape Shape::to_rank(std::size_t rank) const {
    Container shape(rank, 1);
    const auto sizes = view();
    for (std::size_t index = 0; index < sizes.size(); ++index) {
        const std::size_t from_end = sizes.size() - 1 - index;
        if (from_end < rank) {
            shape[rank - 1 - from_end] = sizes[index];
        } else {
            TT_FATAL(sizes[index] == 1, "Can't convert shape rank: {} has more than {} dimensions", *this, rank);
        }
    }
    return Shape(shape);
}

std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
    stream << "Shape([";
    for (std::size_t index = 0; index < shape.rank(); ++index) {
        stream << (index > 0 ? ", " : "") << shape.view()[index];
    }
    return stream << "])";
}

ttsl::SmallVector<std::size_t> compute_strides(const Shape& shape) {
    ttsl::SmallVector<std::size_t> strides(shape.rank(), 1);
    for (std::size_t index = shape.rank(); index-- > 1;) {
        strides[index - 1] = strides[index] * shape[static_cast<std::int32_t>(index)];
    }
    return strides;
}

std::uint32_t get_batch_size(const Shape& shape) {
    std::uint32_t product = 1;
    for (std::size_t index = 0; index + 2 < shape.rank(); ++index) {
        product *= shape.view()[index];
    }
    return product;
}

std::ostream& operator<<(std::ostream& stream, const ShardSpec& spec) {
    return stream << fmt::format("ShardSpec(grid={},shape={},orientation={})", spec.grid, spec.shape, spec.orientation);
}
std::ostream& operator<<(std::ostream& stream, const NdShardSpec& spec) {
    return stream << fmt::format(
               "NdShardSpec(shard_shape={},grid={},orientation={})", spec.shard_shape, spec.grid, spec.orientation);
}
std::ostream& operator<<(std::ostream& stream, const MemoryConfig& config) {
    return stream << fmt::format(
               "MemoryConfig(memory_layout={},buffer_type={},shard_spec={})",
               config.memory_layout_,
               config.buffer_type_,
               config.shard_spec_);
}

void experimental::per_core_allocation::set_per_core_allocation(MemoryConfig&, bool on) {
    TT_FATAL(!on, "per-core allocation of tensors is not simulated");
}
void experimental::range_lockstep_allocation::set_range_lockstep_allocation(MemoryConfig&, bool on) {
    TT_FATAL(!on, "range-lockstep allocation of tensors is not simulated");
}

MemoryConfig MemoryConfig::described(
    TensorMemoryLayout layout,
    BufferType type,
    std::optional<ShardSpec> shards,
    std::optional<NdShardSpec> nd_shards,
    bool created_with_nd) {
    MemoryConfig config(layout, type, std::move(shards));
    config.nd_shard_spec_ = std::move(nd_shards);
    config.created_with_nd_shard_spec_ = created_with_nd;
    return config;
}

bool operator==(const MemoryConfig& a, const MemoryConfig& b) {
    return a.memory_layout_ == b.memory_layout_ && a.buffer_type_ == b.buffer_type_ && a.shard_spec_ == b.shard_spec_ &&
           (a.shard_spec_.has_value() || a.nd_shard_spec_ == b.nd_shard_spec_);
}

TensorLayout::TensorLayout(
    DataType dtype, const PageConfig& page_config, const MemoryConfig& memory_config, const Alignment& alignment) :
    dtype_(dtype), page_config_(page_config), memory_config_(memory_config), alignment_(alignment) {
    if (!alignment_.empty()) {
        return;
    }
    if (get_layout() == Layout::TILE) {
        alignment_ = Alignment({get_tile().get_height(), get_tile().get_width()});
    } else if (
        memory_config.shard_spec().has_value() && memory_config.memory_layout() != TensorMemoryLayout::HEIGHT_SHARDED) {
        alignment_ = Alignment({memory_config.shard_spec()->shape[1]});
    } else {
        alignment_ = Alignment({1U});
    }
}

TensorLayout TensorLayout::fromPaddedShape(
    DataType dtype,
    const PageConfig& page_config,
    const MemoryConfig& memory_config,
    const Shape& logical_shape,
    const Shape& padded_shape) {
    const TensorLayout usual(dtype, page_config, memory_config);
    if (usual.compute_padded_shape(logical_shape) == padded_shape) {
        return usual;
    }
    // An alignment for each dimension that gives this padded shape: products from the last dimension on.
    ttsl::SmallVector<std::uint32_t> values(padded_shape.rank(), 1);
    std::uint32_t product = 1;
    for (std::size_t index = padded_shape.rank(); index-- > 0;) {
        const auto at = static_cast<std::int32_t>(index);
        const bool inner = index + 2 >= padded_shape.rank();
        product = inner ? padded_shape[at] : product * padded_shape[at];
        values[index] = product;
        if (index + 2 == padded_shape.rank()) {
            product = padded_shape[at];
        }
    }
    return TensorLayout(dtype, page_config, memory_config, Alignment(values));
}

// Dimensions before the last two are aligned together with those behind them: an alignment of a dimension is one of
// the rows that it and the following dimensions have.
Shape TensorLayout::compute_padded_shape(const Shape& shape) const {
    const std::size_t rank = std::max(shape.rank(), alignment_.rank());
    Shape padded = shape.to_rank(rank);
    std::uint32_t rows = 1;
    for (std::size_t from_end = 0; from_end < rank; ++from_end) {
        const auto at = -static_cast<std::int32_t>(from_end) - 1;
        const std::uint32_t alignment = from_end < alignment_.rank() ? alignment_[at] : 1;
        if (from_end < 2) {
            padded[at] = round_up(padded[at], alignment);
            rows = from_end == 1 ? padded[at] : rows;
        } else {
            const std::uint32_t aligned = round_up(padded[at] * rows, alignment == 1 ? rows : alignment);
            padded[at] = aligned / rows;
            rows *= padded[at];
        }
    }
    return padded;
}

Shape2D TensorLayout::compute_physical_shape(const Shape& shape) const {
    const Shape padded = compute_padded_shape(shape);
    const std::size_t width = padded.rank() > 0 ? padded[-1] : 1;
    const std::size_t height = width == 0 ? 0 : padded.volume() / width;
    return {height, width};
}

Shape2D TensorLayout::compute_page_shape(const Shape2D& physical) const {
    if (get_layout() == Layout::TILE) {
        return {get_tile().get_height(), get_tile().get_width()};
    }
    if (memory_config_.shard_spec().has_value()) {
        return {1, memory_config_.shard_spec()->shape[1]};
    }
    if (memory_config_.nd_shard_spec().has_value()) {
        return {1, memory_config_.nd_shard_spec()->shard_shape[-1]};
    }
    return {1, physical.width()};
}

std::size_t TensorLayout::compute_page_size_bytes(const Shape& shape) const {
    const DataFormat format = datatype_to_dataformat_converter(dtype_);
    if (get_layout() == Layout::TILE) {
        return get_tile().get_tile_size(format);
    }
    return compute_page_shape(compute_physical_shape(shape)).width() * datum_size(format);
}

std::size_t TensorLayout::compute_packed_buffer_size_bytes(const Shape& shape) const {
    const Shape2D physical = compute_physical_shape(shape);
    const Shape2D page = compute_page_shape(physical);
    const std::size_t pages =
        div_up(physical.height(), page.height()) * div_up(physical.width(), std::max<std::size_t>(page.width(), 1));
    return pages * compute_page_size_bytes(shape);
}

BufferShardingArgs TensorSpec::compute_buffer_sharding_args() const {
    const MemoryConfig& config = memory_config();
    const Shape2D page = tensor_layout_.compute_page_shape(physical_shape());
    std::optional<BufferDistributionSpec> distribution;
    if (config.nd_shard_spec()) {
        const NdShardSpec& spec = *config.nd_shard_spec();
        distribution = BufferDistributionSpec::from_shard_spec(
            padded_shape_, spec.shard_shape, page, spec.grid, spec.orientation, spec.shard_distribution_strategy);
    } else if (config.shard_spec()) {
        const ShardSpec& spec = *config.shard_spec();
        const auto strategy = config.memory_layout() == TensorMemoryLayout::BLOCK_SHARDED
                                  ? ShardDistributionStrategy::GRID_2D
                                  : ShardDistributionStrategy::ROUND_ROBIN_1D;
        const Shape2D physical = physical_shape();
        const Shape matrix(
            {static_cast<std::uint32_t>(physical.height()), static_cast<std::uint32_t>(physical.width())});
        distribution = BufferDistributionSpec::from_shard_spec(
            matrix, Shape(spec.shape), page, spec.grid, spec.orientation, strategy);
    }
    return {std::move(distribution), config.shard_spec(), config.memory_layout()};
}

Alignment PageConfig::get_recommended_shard_shape_alignment(DataType dtype) const {
    if (get_layout() == Layout::TILE) {
        return Alignment({get_tile().get_height(), get_tile().get_width()});
    }
    return Alignment({std::max(1U, 4 / datum_size(datatype_to_dataformat_converter(dtype)))});
}

std::size_t TensorSpec::compute_consumed_memory_bytes_per_bank(std::size_t page_alignment, std::size_t banks) const {
    const std::size_t page = compute_page_size_bytes();
    if (page == 0) {
        return 0;
    }
    const auto sharding = compute_buffer_sharding_args();
    const std::size_t pages = sharding.buffer_distribution_spec()
                                  ? sharding.buffer_distribution_spec()->max_num_dev_pages_per_core()
                                  : div_up(compute_packed_buffer_size_bytes() / page, banks);
    return pages * round_up(page, page_alignment);
}

TensorSpec TensorSpec::cut(
    TensorMemoryLayout layout,
    const CoreRangeSet& grid,
    ShardOrientation orientation,
    std::size_t down,
    std::size_t across) const {
    const Shape2D whole = physical_shape();
    const Alignment alignment = page_config().get_recommended_shard_shape_alignment(data_type());
    const auto rounded = [](std::size_t size, std::size_t parts, std::uint32_t multiple) {
        return static_cast<std::uint32_t>(div_up(div_up(size, parts), multiple) * multiple);
    };
    const std::uint32_t height = rounded(whole.height(), down, alignment.rank() > 1 ? alignment[-2] : 1);
    const std::uint32_t width = rounded(whole.width(), across, alignment[-1]);
    return with_memory_config(
        MemoryConfig(layout, memory_config().buffer_type(), ShardSpec(grid, {height, width}, orientation)));
}
TensorSpec TensorSpec::height_sharded(CoreRangeSet grid, ShardOrientation orientation) const {
    return cut(TensorMemoryLayout::HEIGHT_SHARDED, grid, orientation, grid.num_cores(), 1);
}
TensorSpec TensorSpec::width_sharded(CoreRangeSet grid, ShardOrientation orientation) const {
    return cut(TensorMemoryLayout::WIDTH_SHARDED, grid, orientation, 1, grid.num_cores());
}
TensorSpec TensorSpec::block_sharded(CoreRange grid, ShardOrientation orientation) const {
    const CoreCoord size = grid.grid_size();
    const bool rows = orientation == ShardOrientation::ROW_MAJOR;
    return cut(
        TensorMemoryLayout::BLOCK_SHARDED,
        CoreRangeSet(grid),
        orientation,
        rows ? size.y : size.x,
        rows ? size.x : size.y);
}

Shape2D TensorSpec::logical_2d_shape() const {
    const std::size_t width = logical_shape_.rank() > 0 ? logical_shape_[-1] : 1;
    return {width == 0 ? 0 : logical_shape_.volume() / width, width};
}

}  // namespace tt::tt_metal
