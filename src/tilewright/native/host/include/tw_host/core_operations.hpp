// SPDX-License-Identifier: Apache-2.0
// Operations of ttnn's core that host code calls: each is a call of ttnn in Python.
#pragma once

#include "tw_host/ttnn_types.hpp"
#include "tw_host/values.hpp"

namespace ttnn {

// Tensors say which device they are on; there is no default one here.
inline MeshDevice* GetDefaultDevice() { return nullptr; }

namespace operations::core {
Tensor unsqueeze_to_4D(const Tensor& tensor);
Tensor squeeze_from_4D(const Tensor& tensor, int rank);
Tensor to_device(
    const Tensor& tensor,
    MeshDevice* device,
    const std::optional<MemoryConfig>& memory_config,
    std::optional<QueueId> queue = std::nullopt);
Tensor from_device(const Tensor& tensor, bool blocking = true, std::optional<QueueId> queue = std::nullopt);
void deallocate(Tensor& tensor, bool force = true);

// L1 between the circular buffers' first address and the lowest buffer of a tensor.
std::uint64_t available_program_l1_capacity(const tt::tt_metal::IDevice* device);
// The same less a twentieth, which is left to others.
std::uint64_t usable_program_l1_capacity(const tt::tt_metal::IDevice* device);
}  // namespace operations::core
using operations::core::deallocate;
using operations::core::from_device;
using operations::core::squeeze_from_4D;
using operations::core::to_device;
using operations::core::unsqueeze_to_4D;

Tensor to_layout(
    const Tensor& tensor,
    Layout layout,
    const std::optional<DataType>& dtype = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    float pad_value = 0.0F);
Tensor to_memory_config(
    const Tensor& tensor,
    const MemoryConfig& memory_config,
    std::optional<DataType> dtype = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt);
Tensor to_dtype(const Tensor& tensor, const DataType& dtype);
}  // namespace ttnn

// In a checkout `ttnn::reshape` is declared there; a call of it is a call of ttnn in Python, unless the folder has it.
#if __has_include("ttnn/operations/data_movement/reshape_view/reshape.hpp")
#include "ttnn/operations/data_movement/reshape_view/reshape.hpp"
#else
namespace ttnn {
enum class TileReshapeMapMode { CACHE, RECREATE };
Tensor reshape(
    const Tensor& tensor,
    const Shape& shape,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<PadValue>& pad_value = std::nullopt,
    TileReshapeMapMode mode = TileReshapeMapMode::CACHE,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    bool skip_padding_fill = false);
Tensor reshape(
    const Tensor& tensor,
    const Shape& logical_shape,
    const Shape& padded_shape,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<PadValue>& pad_value = std::nullopt,
    TileReshapeMapMode mode = TileReshapeMapMode::CACHE,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    bool skip_padding_fill = false);
Tensor reshape(
    const Tensor& tensor,
    ttsl::Span<const std::int32_t> shape,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<PadValue>& pad_value = std::nullopt,
    TileReshapeMapMode mode = TileReshapeMapMode::CACHE,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    bool skip_padding_fill = false);
}  // namespace ttnn
#endif

namespace ttnn {}  // namespace ttnn
