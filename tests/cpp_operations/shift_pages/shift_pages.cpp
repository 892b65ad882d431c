// SPDX-License-Identifier: Apache-2.0
#include "shift_pages.hpp"

#include "device/shift_pages_device_operation.hpp"

namespace ttnn {

Tensor shift_pages(
    const Tensor& input_tensor,
    uint32_t offset,
    const std::optional<MemoryConfig>& memory_config,
    const std::optional<Tensor>& optional_output_tensor) {
    using Operation = operations::data_movement::shift_pages::ShiftPagesDeviceOperation;
    return ttnn::device_operation::launch<Operation>(
        Operation::operation_attributes_t{offset, memory_config.value_or(input_tensor.memory_config())},
        Operation::tensor_args_t{input_tensor, optional_output_tensor});
}

}  // namespace ttnn
