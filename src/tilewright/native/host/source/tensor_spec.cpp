// SPDX-License-Identifier: Apache-2.0
#include "tw_host/tensor_spec.hpp"

#include <algorithm>

namespace tt {

std::uint32_t datum_size(const DataFormat& format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: return 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::Int16:
        case DataFormat::RawUInt16: return 2;
        case DataFormat::Fp8_e4m3:
        case DataFormat::Int8:
        case DataFormat::Lf8:
        case DataFormat::UInt8:
        case DataFormat::RawUInt8: return 1;
        default:
            throw std::invalid_argument(
                "an element of " + tw::host::enum_name(format) + " has no size of its own: tiles have exponents too");
    }
}

namespace {
// Bytes of `elements` elements: block formats have an exponent byte for each 16.
std::uint32_t block_bytes(DataFormat format, std::uint32_t elements) {
    switch (format) {
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return elements / 4 + elements / 16;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return elements / 2 + elements / 16;
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return elements + elements / 16;
        default: return elements * datum_size(format);
    }
}
}  // namespace

std::uint32_t tile_size(const DataFormat& format) { return block_bytes(format, constants::TILE_HW); }

bool is_integer_format(DataFormat format) {
    switch (format) {
        case DataFormat::Int8:
        case DataFormat::Int16:
        case DataFormat::Int32:
        case DataFormat::UInt8:
        case DataFormat::UInt16:
        case DataFormat::UInt32: return true;
        default: return false;
    }
}

}  // namespace tt

namespace tt::tt_metal {

std::uint32_t Tile::get_tile_size(const DataFormat& format) const { return block_bytes(format, get_tile_hw()); }

bool is_floating_point(DataType dtype) {
    return dtype == DataType::BFLOAT16 || dtype == DataType::FLOAT32 || is_block_float(dtype);
}
bool is_block_float(DataType dtype) { return dtype == DataType::BFLOAT8_B || dtype == DataType::BFLOAT4_B; }

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

Shape2D TensorSpec::logical_2d_shape() const {
    const std::size_t width = logical_shape_.rank() > 0 ? logical_shape_[-1] : 1;
    return {width == 0 ? 0 : logical_shape_.volume() / width, width};
}

}  // namespace tt::tt_metal
