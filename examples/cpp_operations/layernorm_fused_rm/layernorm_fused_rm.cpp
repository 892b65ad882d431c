// SPDX-License-Identifier: Apache-2.0
#include "layernorm_fused_rm.hpp"

#include "device/layernorm_fused_rm_device_operation.hpp"

namespace ttnn {

Tensor layernorm_fused_rm(
    const Tensor& x,
    const Tensor& gamma,
    const Tensor& beta,
    float epsilon,
    const std::optional<MemoryConfig>& memory_config) {
    using Operation = operations::reduction::layernorm_fused_rm::LayernormFusedRmDeviceOperation;
    return ttnn::device_operation::launch<Operation>(
        Operation::operation_attributes_t{epsilon, memory_config.value_or(x.memory_config())},
        Operation::tensor_args_t{x, gamma, beta});
}

}  // namespace ttnn
