// SPDX-License-Identifier: Apache-2.0
#include "tw_host/core_operations.hpp"

#include "tw_host/python_operation.hpp"

namespace ttnn {

using tw::host::called;
using tw::host::Keywords;
using tw::host::to_value;

namespace operations::core {

Tensor unsqueeze_to_4D(const Tensor& tensor) {
    const Shape& shape = tensor.logical_shape();
    return shape.rank() >= 4 ? tensor : tensor.reshape(shape.to_rank(4));
}
Tensor squeeze_from_4D(const Tensor& tensor, int rank) {
    const Shape& shape = tensor.logical_shape();
    return static_cast<int>(shape.rank()) <= rank ? tensor : tensor.reshape(shape.to_rank(rank));
}
Tensor to_device(
    const Tensor& tensor,
    MeshDevice* device,
    const std::optional<MemoryConfig>& memory_config,
    std::optional<QueueId> /*queue*/) {
    return called("to_device", {to_value(tensor), to_value(device)}, Keywords().with("memory_config", memory_config));
}
Tensor from_device(const Tensor& tensor, bool /*blocking*/, std::optional<QueueId> /*queue*/) {
    return called("from_device", {to_value(tensor)});
}
void deallocate(Tensor& tensor, bool force) { tensor.deallocate(force); }

std::uint64_t available_program_l1_capacity(const tt::tt_metal::IDevice* device) {
    const std::uint64_t end = device->lowest_occupied_compute_l1_address().value_or(device->l1_size_per_core());
    const std::uint64_t begin = device->allocator()->get_base_allocator_addr(tt::tt_metal::HalMemType::L1);
    return end > begin ? end - begin : 0;
}
std::uint64_t usable_program_l1_capacity(const tt::tt_metal::IDevice* device) {
    return available_program_l1_capacity(device) * 95 / 100;
}

}  // namespace operations::core

Tensor to_layout(
    const Tensor& tensor,
    Layout layout,
    const std::optional<DataType>& dtype,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<CoreRangeSet>& sub_core_grids,
    float pad_value) {
    const std::optional<float> pad = pad_value == 0.0F ? std::nullopt : std::optional(pad_value);
    return called(
        "to_layout",
        {to_value(tensor), to_value(layout)},
        Keywords()
            .with("dtype", dtype)
            .with("memory_config", memory_config)
            .with("sub_core_grids", sub_core_grids)
            .with("pad_value", pad));
}
Tensor to_memory_config(
    const Tensor& tensor,
    const MemoryConfig& memory_config,
    std::optional<DataType> dtype,
    const std::optional<Tensor>& output) {
    return called(
        "to_memory_config",
        {to_value(tensor), to_value(memory_config)},
        Keywords().with("dtype", dtype).with("output_tensor", output));
}
Tensor to_dtype(const Tensor& tensor, const DataType& dtype) {
    return called("to_dtype", {to_value(tensor), to_value(dtype)});
}

// Weak: a folder that has the host code of reshape or pad uses its own.
namespace {
Keywords reshape_keywords(
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<PadValue>& pad_value,
    const std::optional<CoreRangeSet>& sub_core_grids,
    bool skip_padding_fill) {
    Keywords keywords;
    keywords.with("memory_config", memory_config).with("pad_value", pad_value).with("sub_core_grids", sub_core_grids);
    return skip_padding_fill ? keywords.with("skip_padding_fill", std::optional(true)) : keywords;
}
}  // namespace

[[gnu::weak]] Tensor reshape(
    const Tensor& tensor,
    const Shape& shape,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<PadValue>& pad_value,
    TileReshapeMapMode,
    const std::optional<CoreRangeSet>& sub_core_grids,
    bool skip_padding_fill) {
    return called(
        "reshape",
        {to_value(tensor), to_value(shape)},
        reshape_keywords(memory_config, pad_value, sub_core_grids, skip_padding_fill));
}
[[gnu::weak]] Tensor reshape(
    const Tensor& tensor,
    const Shape& logical_shape,
    const Shape& padded_shape,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<PadValue>& pad_value,
    TileReshapeMapMode,
    const std::optional<CoreRangeSet>& sub_core_grids,
    bool skip_padding_fill) {
    return called(
        "reshape",
        {to_value(tensor), to_value(logical_shape), to_value(padded_shape)},
        reshape_keywords(memory_config, pad_value, sub_core_grids, skip_padding_fill));
}
[[gnu::weak]] Tensor reshape(
    const Tensor& tensor,
    ttsl::Span<const std::int32_t> shape,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<PadValue>& pad_value,
    TileReshapeMapMode,
    const std::optional<CoreRangeSet>& sub_core_grids,
    bool skip_padding_fill) {
    return called(
        "reshape",
        {to_value(tensor), to_value(std::vector<std::int32_t>(shape.begin(), shape.end()))},
        reshape_keywords(memory_config, pad_value, sub_core_grids, skip_padding_fill));
}

[[gnu::weak]] Tensor pad(
    const Tensor& tensor,
    const ttsl::SmallVector<std::array<std::uint32_t, 2>>& padding,
    float value,
    bool use_multicore,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<CoreRangeSet>& sub_core_grids) {
    return called(
        "pad",
        {to_value(tensor), to_value(padding), to_value(value)},
        Keywords()
            .with("use_multicore", std::optional(use_multicore))
            .with("memory_config", memory_config)
            .with("sub_core_grids", sub_core_grids));
}

}  // namespace ttnn
