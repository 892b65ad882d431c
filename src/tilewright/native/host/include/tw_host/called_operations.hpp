// SPDX-License-Identifier: Apache-2.0
// Operations of ttnn that host code calls and whose own host code is elsewhere: each is a call of ttnn in Python.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tw_host/core_operations.hpp"

namespace ttnn {

using OptionalDevice = std::optional<std::reference_wrapper<MeshDevice>>;

Tensor typecast(
    const Tensor& tensor,
    const DataType& dtype,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt);

Tensor full(
    const Shape& shape,
    std::variant<float, int> value,
    const std::optional<DataType>& dtype = std::nullopt,
    const std::optional<Layout>& layout = std::nullopt,
    OptionalDevice device = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor zeros(
    const Shape& shape,
    const std::optional<DataType>& dtype = std::nullopt,
    const std::optional<Layout>& layout = std::nullopt,
    OptionalDevice device = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor empty(
    const Shape& shape,
    const DataType& dtype,
    const Layout& layout,
    MeshDevice* device,
    const MemoryConfig& memory_config);
Tensor zeros_like(
    const Tensor& tensor,
    const std::optional<DataType>& dtype = std::nullopt,
    const std::optional<Layout>& layout = std::nullopt,
    OptionalDevice device = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt);

Tensor add(const Tensor& a, float b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor cumsum(
    const Tensor& tensor,
    const std::int32_t& dim,
    std::optional<DataType> dtype = std::nullopt,
    const bool& reverse_order = false,
    std::optional<Tensor> output = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);
Tensor upsample(
    const Tensor& tensor, const std::variant<int, std::array<int, 2>>& scale_factor, const std::string& mode);

namespace experimental {
Tensor view(const Tensor& tensor, const Shape& shape);
Tensor view(const Tensor& tensor, const Shape& logical_shape, const Shape& padded_shape);
}  // namespace experimental

}  // namespace ttnn

// What reductions do before and after: the dimension becomes the last one, the rank becomes 4.
namespace reduction_common {
ttnn::Tensor perform_transpose(
    const ttnn::Tensor& tensor, bool is_dim_last_idx, std::int8_t dim1 = -1, std::int8_t dim2 = -1);
ttnn::Tensor transform_to_4d_tensor(const ttnn::Tensor& tensor, bool is_rank_le_4d);
}  // namespace reduction_common
