// SPDX-License-Identifier: Apache-2.0
#include "tw_host/values.hpp"

#include "tw_host/ttnn_types.hpp"

namespace tw::host {

using namespace tt::tt_metal;

namespace {
template <typename Range>
List numbers(const char* kind, const Range& range) {
    List list{kind};
    for (const auto number : range) {
        list.emplace_back(number);
    }
    return list;
}
void require(const Value& value, const char* kind) {
    if (!value.is(kind)) {
        throw CastError(kind, value);
    }
}
}  // namespace

Value to_value(const CoreCoord& core) { return List{"CoreCoord", core.x, core.y}; }
Value to_value(const CoreRange& range) {
    return List{"CoreRange", range.start_coord.x, range.start_coord.y, range.end_coord.x, range.end_coord.y};
}
Value to_value(const CoreRangeSet& set) {
    List list{"CoreRangeSet"};
    for (const CoreRange& range : set.ranges()) {
        list.push_back(to_value(range));
    }
    return list;
}
Value to_value(const Shape& shape) { return numbers("Shape", shape); }
Value to_value(const MemoryConfig& config) {
    List list{
        "MemoryConfig",
        enum_name(config.memory_layout()),
        enum_name(config.buffer_type()),
        Value(),
        Value(),
        config.created_with_nd_shard_spec()};
    if (config.shard_spec() && !config.created_with_nd_shard_spec()) {
        const ShardSpec& spec = *config.shard_spec();
        list[3] = List{to_value(spec.grid), spec.shape[0], spec.shape[1], enum_name(spec.orientation)};
    } else if (config.nd_shard_spec()) {
        const NdShardSpec& spec = *config.nd_shard_spec();
        list[4] = List{
            to_value(spec.shard_shape),
            to_value(spec.grid),
            enum_name(spec.orientation),
            enum_name(spec.shard_distribution_strategy)};
    }
    return list;
}
Value to_value(const Tile& tile) { return List{"Tile", tile.get_height(), tile.get_width()}; }
Value to_value(const TensorSpec& spec) {
    return List{
        "TensorSpec",
        to_value(spec.logical_shape()),
        to_value(spec.padded_shape()),
        enum_name(spec.data_type()),
        enum_name(spec.layout()),
        to_value(spec.tile()),
        to_value(spec.memory_config())};
}
Value to_value(const ttnn::Tensor& tensor) {
    return tensor.state() == nullptr ? Value() : Value(tensor.state()->handle);
}
Value to_value(const ttnn::ComputeKernelConfig& config) {
    return List{
        "ComputeKernelConfig",
        enum_name(config.math_fidelity),
        config.math_approx_mode,
        config.fp32_dest_acc_en,
        config.packer_l1_acc,
        config.dst_full_sync_en};
}

template <typename E>
static E named(const Value& value) {
    E result{};
    if (!enum_from_name(value.as_text(), result)) {
        throw CastError("the name of an enum value", value);
    }
    return result;
}

bool FromValue<bool>::get(const Value& value) {
    if (!value.is_bool()) {
        throw CastError("bool", value);
    }
    return value.as_bool();
}
std::string FromValue<std::string>::get(const Value& value) {
    if (!value.is_text()) {
        throw CastError("str", value);
    }
    return value.as_text();
}
CoreCoord FromValue<CoreCoord>::get(const Value& value) {
    require(value, "CoreCoord");
    return {static_cast<std::size_t>(value.at(1).as_int()), static_cast<std::size_t>(value.at(2).as_int())};
}
ttnn::types::CoreGrid FromValue<ttnn::types::CoreGrid>::get(const Value& value) {
    const CoreCoord grid = from_value<CoreCoord>(value);
    return {grid.x, grid.y};
}
CoreRange FromValue<CoreRange>::get(const Value& value) {
    require(value, "CoreRange");
    const auto at = value.as_numbers<std::size_t>(1);
    return {{at.at(0), at.at(1)}, {at.at(2), at.at(3)}};
}
CoreRangeSet FromValue<CoreRangeSet>::get(const Value& value) {
    require(value, "CoreRangeSet");
    std::vector<CoreRange> ranges;
    for (std::size_t index = 1; index < value.size(); ++index) {
        ranges.push_back(from_value<CoreRange>(value.at(index)));
    }
    return CoreRangeSet(std::move(ranges));
}
Shape FromValue<Shape>::get(const Value& value) {
    return Shape(container_from<ttsl::SmallVector<std::uint32_t>>(value, "Shape"));
}
ShardSpec FromValue<ShardSpec>::get(const Value& value) {
    const std::size_t first = value.is("ShardSpec") ? 1 : 0;
    const std::array<std::uint32_t, 2> shape = {
        from_value<std::uint32_t>(value.at(first + 1)), from_value<std::uint32_t>(value.at(first + 2))};
    return {from_value<CoreRangeSet>(value.at(first)), shape, named<ShardOrientation>(value.at(first + 3))};
}
NdShardSpec FromValue<NdShardSpec>::get(const Value& value) {
    const std::size_t first = value.is("NdShardSpec") ? 1 : 0;
    return {
        from_value<Shape>(value.at(first)),
        from_value<CoreRangeSet>(value.at(first + 1)),
        named<ShardOrientation>(value.at(first + 2)),
        named<ShardDistributionStrategy>(value.at(first + 3))};
}
MemoryConfig FromValue<MemoryConfig>::get(const Value& value) {
    require(value, "MemoryConfig");
    const Value &shards = value.at(3), &nd_shards = value.at(4);
    return MemoryConfig::described(
        named<TensorMemoryLayout>(value.at(1)),
        named<BufferType>(value.at(2)),
        shards.is_none() ? std::nullopt : std::optional(from_value<ShardSpec>(shards)),
        nd_shards.is_none() ? std::nullopt : std::optional(from_value<NdShardSpec>(nd_shards)),
        from_value<bool>(value.at(5)));
}
Tile FromValue<Tile>::get(const Value& value) {
    require(value, "Tile");
    return Tile({from_value<std::uint32_t>(value.at(1)), from_value<std::uint32_t>(value.at(2))});
}
ttnn::ComputeKernelConfig FromValue<ttnn::ComputeKernelConfig>::get(const Value& value) {
    require(value, "ComputeKernelConfig");
    ttnn::ComputeKernelConfig config;
    config.math_fidelity = named<MathFidelity>(value.at(1));
    config.math_approx_mode = value.at(2).as_bool();
    config.fp32_dest_acc_en = value.at(3).as_bool();
    config.packer_l1_acc = value.at(4).as_bool();
    config.dst_full_sync_en = value.at(5).as_bool();
    return config;
}
distributed::MeshDevice* FromValue<distributed::MeshDevice*>::get(const Value& value) {
    if (!value.is("Device")) {
        throw CastError("MeshDevice", value);
    }
    return device_of(value);
}

// ["Tensor", handle, logical shape, padded shape, dtype, layout, tile, memory config, device, allocated, address]
ttnn::Tensor FromValue<ttnn::Tensor>::get(const Value& value) {
    require(value, "Tensor");
    const auto logical = from_value<Shape>(value.at(2)), padded = from_value<Shape>(value.at(3));
    const PageConfig page(named<Layout>(value.at(5)), from_value<Tile>(value.at(6)));
    const auto layout = TensorLayout::fromPaddedShape(
        named<DataType>(value.at(4)), page, from_value<MemoryConfig>(value.at(7)), logical, padded);
    const Value& device = value.at(8);
    return ttnn::Tensor(
        std::make_shared<TensorState>(
            value.at(1).as_handle(),
            TensorSpec(logical, layout),
            device.is_none() ? nullptr : device_of(device),
            value.at(9).as_bool(),
            static_cast<std::uint64_t>(value.at(10).as_int())));
}

}  // namespace tw::host
