// SPDX-License-Identifier: Apache-2.0
// Operations of ttnn that host code calls and whose own host code is elsewhere: each is a call of ttnn in Python.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
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

// An activation of an element-wise operation. Host code here has none to give: what makes one is not declared.
namespace operations::unary {
template <typename... Params>
struct BasicUnaryWithParam {
    BasicUnaryWithParam() = delete;
};
using EltwiseUnaryWithParam = BasicUnaryWithParam<float, int, unsigned int>;
}  // namespace operations::unary

using ScalarVariant = std::variant<unsigned int, int, float>;
using Activations = std::span<const operations::unary::EltwiseUnaryWithParam>;

// Further parameters are named in the C++ sources of ttnn as in Python.
Tensor add(
    const Tensor& a,
    const Tensor& b,
    const std::optional<const DataType>& dtype = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt,
    Activations activations = {},
    Activations a_activations = {},
    Activations b_activations = {},
    const std::optional<bool>& fast_and_approximate_mode = std::nullopt,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id = std::nullopt);
Tensor add(
    const Tensor& a,
    ScalarVariant b,
    const std::optional<const DataType>& dtype = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt,
    Activations activations = {},
    Activations a_activations = {},
    Activations b_activations = {},
    const std::optional<bool>& fast_and_approximate_mode = std::nullopt,
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id = std::nullopt);
Tensor div(
    const Tensor& a,
    const Tensor& b,
    bool fast_and_approximate_mode = false,
    const std::optional<std::string>& rounding_mode = std::nullopt,
    const std::optional<const DataType>& dtype = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt,
    Activations activations = {},
    Activations a_activations = {},
    Activations b_activations = {},
    const std::optional<CoreRangeSet>& sub_core_grids = std::nullopt,
    const std::optional<tt::tt_metal::SubDeviceId>& sub_device_id = std::nullopt);
Tensor minimum(
    const Tensor& a,
    const Tensor& b,
    const std::optional<const DataType>& dtype = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    const std::optional<Tensor>& output = std::nullopt,
    Activations activations = {},
    Activations a_activations = {},
    Activations b_activations = {});
Tensor cumsum(
    const Tensor& tensor,
    const std::int32_t& dim,
    std::optional<DataType> dtype = std::nullopt,
    const bool& reverse_order = false,
    std::optional<Tensor> output = std::nullopt,
    const std::optional<MemoryConfig>& memory_config = std::nullopt,
    bool disable_compensated_sum = false);
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
