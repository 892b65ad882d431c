// SPDX-License-Identifier: Apache-2.0
#include "scale_add.hpp"
#include "device/scale_add_device_operation.hpp"
namespace ttnn::operations::scale_add {
ttnn::Tensor ExecuteScaleAdd::invoke(
    QueueId queue_id,
    const ttnn::Tensor& input,
    const std::optional<const ttnn::Tensor>& other,
    float scale,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<CoreGrid>& core_grid,
    std::optional<const DeviceComputeKernelConfig> compute_kernel_config) {
    auto config = init_device_compute_kernel_config(
        input.device()->arch(), compute_kernel_config, MathFidelity::HiFi4, true, false, false);
    log_debug(tt::LogOp, "scale_add {} on queue {} grid {}", input.logical_shape(), *queue_id, core_grid.has_value());
    return ttnn::prim::scale_add(
        queue_id,
        input,
        other,
        scale,
        memory_config.value_or(input.memory_config()),
        core_grid ? core_grid->to_CoreCoord() : input.device()->compute_with_storage_grid_size(),
        config);
}
}  // namespace ttnn::operations::scale_add
