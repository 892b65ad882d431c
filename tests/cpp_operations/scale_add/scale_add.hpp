// SPDX-License-Identifier: Apache-2.0
// (x + other) * scale in the spellings of 2025: a queue in front of the arguments, three factories, tiles that lie in
// shards.
#pragma once
#include <optional>
#include "ttnn/common/queue_id.hpp"
#include "ttnn/decorators.hpp"
#include "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/types.hpp"
namespace ttnn::operations::scale_add {
struct ExecuteScaleAdd {
    static ttnn::Tensor invoke(
        QueueId queue_id,
        const ttnn::Tensor& input,
        const std::optional<const ttnn::Tensor>& other,
        float scale,
        const std::optional<MemoryConfig>& memory_config = std::nullopt,
        const std::optional<CoreGrid>& core_grid = std::nullopt,
        std::optional<const DeviceComputeKernelConfig> compute_kernel_config = std::nullopt);
};
}  // namespace ttnn::operations::scale_add
namespace ttnn {
constexpr auto scale_add = ttnn::register_operation<"ttnn::scale_add", ttnn::operations::scale_add::ExecuteScaleAdd>();
}
