// SPDX-License-Identifier: Apache-2.0
// Operations of ttnn's core that host code calls: each is a call of ttnn in Python.
#pragma once

#include "tw_host/ttnn_types.hpp"
#include "tw_host/values.hpp"

namespace ttnn {
namespace operations::core {
Tensor unsqueeze_to_4D(const Tensor& tensor);
Tensor squeeze_from_4D(const Tensor& tensor, int rank);
Tensor to_device(const Tensor& tensor, MeshDevice* device, const std::optional<MemoryConfig>& memory_config);
Tensor from_device(const Tensor& tensor, bool blocking = true);
void deallocate(Tensor& tensor, bool force = true);
}  // namespace operations::core
using operations::core::deallocate;
using operations::core::from_device;
using operations::core::squeeze_from_4D;
using operations::core::to_device;
using operations::core::unsqueeze_to_4D;
}  // namespace ttnn
