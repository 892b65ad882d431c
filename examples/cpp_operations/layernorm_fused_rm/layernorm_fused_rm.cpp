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
    TT_FATAL(
        x.storage_type() == tt::tt_metal::StorageType::DEVICE && x.buffer() != nullptr,
        "Input must be allocated on device, got a tensor on the host");
    TT_FATAL(
        gamma.storage_type() == tt::tt_metal::StorageType::DEVICE && gamma.buffer() != nullptr,
        "Gamma must be allocated on device");
    TT_FATAL(
        beta.storage_type() == tt::tt_metal::StorageType::DEVICE && beta.buffer() != nullptr,
        "Beta must be allocated on device");
    return ttnn::device_operation::launch<Operation>(
        Operation::operation_attributes_t{epsilon, memory_config.value_or(x.memory_config())},
        Operation::tensor_args_t{x, gamma, beta});
}

}  // namespace ttnn
