// SPDX-License-Identifier: Apache-2.0
#include "tw_host/called_operations.hpp"

#include "tw_host/python_operation.hpp"

namespace ttnn {

using tw::host::called;
using tw::host::Keywords;
using tw::host::List;
using tw::host::to_value;

Tensor typecast(
    const Tensor& tensor,
    const DataType& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output,
    const std::optional<CoreRangeSet>& sub_core_grids) {
    return called(
        "typecast",
        {to_value(tensor), to_value(dtype)},
        Keywords()
            .with("memory_config", memory_config)
            .with("output_tensor", output)
            .with("sub_core_grids", sub_core_grids));
}

Tensor full(
    const Shape& shape,
    std::variant<float, int> value,
    const std::optional<DataType>& dtype,
    const std::optional<Layout>& layout,
    OptionalDevice device,
    const std::optional<MemoryConfig>& memory_config) {
    return called(
        "full",
        {to_value(shape), to_value(value)},
        Keywords()
            .with("dtype", dtype)
            .with("layout", layout)
            .with("device", device)
            .with("memory_config", memory_config));
}
Tensor zeros(
    const Shape& shape,
    const std::optional<DataType>& dtype,
    const std::optional<Layout>& layout,
    OptionalDevice device,
    const std::optional<MemoryConfig>& memory_config) {
    return called(
        "zeros",
        {to_value(shape)},
        Keywords()
            .with("dtype", dtype)
            .with("layout", layout)
            .with("device", device)
            .with("memory_config", memory_config));
}
Tensor empty(
    const Shape& shape,
    const DataType& dtype,
    const Layout& layout,
    MeshDevice* device,
    const MemoryConfig& memory_config) {
    return called(
        "empty", {to_value(shape), to_value(dtype), to_value(layout), to_value(device), to_value(memory_config)});
}
Tensor zeros_like(
    const Tensor& tensor,
    const std::optional<DataType>& dtype,
    const std::optional<Layout>& layout,
    OptionalDevice device,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output) {
    return called(
        "zeros_like",
        {to_value(tensor)},
        Keywords()
            .with("dtype", dtype)
            .with("layout", layout)
            .with("device", device)
            .with("memory_config", memory_config)
            .with("output_tensor", output));
}

namespace {

// Keyword arguments that every element-wise operation takes.
Keywords elementwise(
    const std::optional<const DataType>& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id = std::nullopt) {
    TT_FATAL(!sub_device_id, "an operation of ttnn that host code calls takes no sub_device_id in tilewright");
    return Keywords()
        .with("dtype", dtype)
        .with("memory_config", memory_config)
        .with("output_tensor", output)
        .with("sub_core_grids", sub_core_grids);
}

}  // namespace

Tensor add(
    const Tensor& a,
    const Tensor& b,
    const std::optional<const DataType>& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output,
    Activations,
    Activations,
    Activations,
    const std::optional<bool>& fast_and_approximate_mode,
    const std::optional<CoreRangeSet>& sub_core_grids,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id) {
    Keywords given = elementwise(dtype, memory_config, output, sub_core_grids, sub_device_id);
    given.with("fast_and_approximate_mode", fast_and_approximate_mode);
    return called("add", {to_value(a), to_value(b)}, given);
}
Tensor add(
    const Tensor& a,
    ScalarVariant b,
    const std::optional<const DataType>& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output,
    Activations,
    Activations,
    Activations,
    const std::optional<bool>& fast_and_approximate_mode,
    const std::optional<CoreRangeSet>& sub_core_grids,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id) {
    Keywords given = elementwise(dtype, memory_config, output, sub_core_grids, sub_device_id);
    given.with("fast_and_approximate_mode", fast_and_approximate_mode);
    return called("add", {to_value(a), to_value(b)}, given);
}
Tensor div(
    const Tensor& a,
    const Tensor& b,
    bool fast_and_approximate_mode,
    const std::optional<std::string>& rounding_mode,
    const std::optional<const DataType>& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output,
    Activations,
    Activations,
    Activations,
    const std::optional<CoreRangeSet>& sub_core_grids,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id) {
    Keywords given = elementwise(dtype, memory_config, output, sub_core_grids, sub_device_id);
    given.with("fast_and_approximate_mode", std::optional(fast_and_approximate_mode));
    return called("div", {to_value(a), to_value(b)}, given.with("rounding_mode", rounding_mode));
}
Tensor minimum(
    const Tensor& a,
    const Tensor& b,
    const std::optional<const DataType>& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& output,
    Activations,
    Activations,
    Activations) {
    return called("minimum", {to_value(a), to_value(b)}, elementwise(dtype, memory_config, output));
}
Tensor cumsum(
    const Tensor& tensor,
    const std::int32_t& dim,
    std::optional<DataType> dtype,
    const bool& reverse_order,
    std::optional<Tensor> output,
    const std::optional<MemoryConfig>& memory_config,
    bool disable_compensated_sum) {
    return called(
        "cumsum",
        {to_value(tensor), to_value(dim)},
        Keywords()
            .with("dtype", dtype)
            .with("reverse_order", std::optional(reverse_order))
            .with("out", output)
            .with("memory_config", memory_config)
            .with("disable_compensated_sum", disable_compensated_sum ? std::optional(true) : std::nullopt));
}
Tensor upsample(
    const Tensor& tensor, const std::variant<int, std::array<int, 2>>& scale_factor, const std::string& mode) {
    return called("upsample", {to_value(tensor), to_value(scale_factor)}, Keywords().with("mode", std::optional(mode)));
}

namespace experimental {
Tensor view(const Tensor& tensor, const Shape& shape) {
    return called("experimental.view", {to_value(tensor), to_value(shape)});
}
// Python's view takes no padded shape. Its reshape does, and is a view wherever the bytes may stay.
Tensor view(const Tensor& tensor, const Shape& logical_shape, const Shape& padded_shape) {
    if (logical_shape == padded_shape && logical_shape.volume() == tensor.logical_shape().volume()) {
        return view(tensor, logical_shape);
    }
    const Tensor result = called("reshape", {to_value(tensor), to_value(logical_shape), to_value(padded_shape)});
    const bool same_bytes =
        tensor.storage_type() != StorageType::DEVICE || tensor.buffer()->address() == result.buffer()->address();
    TT_FATAL(
        same_bytes && result.padded_shape() == padded_shape,
        "a view of a tensor of shape {} as {}, padded to {}, is not one that ttnn gives in Python",
        tensor.logical_shape(),
        logical_shape,
        padded_shape);
    return result;
}
}  // namespace experimental

}  // namespace ttnn

namespace reduction_common {

ttnn::Tensor perform_transpose(const ttnn::Tensor& tensor, bool is_dim_last_idx, std::int8_t dim1, std::int8_t dim2) {
    using tw::host::to_value;
    if (is_dim_last_idx) {
        return tensor;
    }
    return tw::host::called(
        "transpose", {to_value(tensor), to_value(static_cast<int>(dim1)), to_value(static_cast<int>(dim2))});
}

ttnn::Tensor transform_to_4d_tensor(const ttnn::Tensor& tensor, bool is_rank_le_4d) {
    if (is_rank_le_4d) {
        return ttnn::operations::core::unsqueeze_to_4D(tensor);
    }
    // Dimensions before the last three become one.
    const tt::tt_metal::Shape& shape = tensor.logical_shape();
    std::uint32_t first = 1;
    for (std::size_t index = 0; index + 3 < shape.rank(); ++index) {
        first *= shape[static_cast<int>(index)];
    }
    return tensor.reshape(tt::tt_metal::Shape({first, shape[-3], shape[-2], shape[-1]}));
}

}  // namespace reduction_common
