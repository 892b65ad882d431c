// SPDX-License-Identifier: Apache-2.0
#include "centralize_w_rm.hpp"

#include "device/centralize_w_rm_device_operation.hpp"

namespace ttnn {

Tensor centralize_w_rm(
    const Tensor& x,
    const std::optional<MemoryConfig>& memory_config) {
    using Operation = operations::reduction::centralize_w_rm::CentralizeWRmDeviceOperation;
    TT_FATAL(
        x.storage_type() == tt::tt_metal::StorageType::DEVICE && x.buffer() != nullptr,
        "Input must be on device, got a tensor on the host");
    return ttnn::device_operation::launch<Operation>(
        Operation::operation_attributes_t{memory_config.value_or(x.memory_config())},
        Operation::tensor_args_t{x});
}

}  // namespace ttnn
