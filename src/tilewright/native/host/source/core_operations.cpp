// SPDX-License-Identifier: Apache-2.0
#include "tw_host/core_operations.hpp"

namespace ttnn::operations::core {

namespace {
Tensor called(const char* name, tw::host::List arguments) {
    return tw::host::from_value<Tensor>(
        tw::host::call_python("operation", {name, std::move(arguments), tw::host::List{}}));
}
}  // namespace

Tensor unsqueeze_to_4D(const Tensor& tensor) {
    const Shape& shape = tensor.logical_shape();
    return shape.rank() >= 4 ? tensor : tensor.reshape(shape.to_rank(4));
}
Tensor squeeze_from_4D(const Tensor& tensor, int rank) {
    const Shape& shape = tensor.logical_shape();
    return static_cast<int>(shape.rank()) <= rank ? tensor : tensor.reshape(shape.to_rank(rank));
}
Tensor to_device(const Tensor& tensor, MeshDevice* device, const std::optional<MemoryConfig>& memory_config) {
    tw::host::List arguments{tw::host::to_value(tensor), tw::host::to_value(device)};
    if (memory_config) {
        arguments.push_back(tw::host::to_value(*memory_config));
    }
    return called("to_device", std::move(arguments));
}
Tensor from_device(const Tensor& tensor, bool) { return called("from_device", {tw::host::to_value(tensor)}); }
void deallocate(Tensor& tensor, bool force) { tensor.deallocate(force); }

}  // namespace ttnn::operations::core
