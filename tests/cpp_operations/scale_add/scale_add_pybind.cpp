// SPDX-License-Identifier: Apache-2.0
#include "scale_add_pybind.hpp"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include "scale_add.hpp"
#include "ttnn-pybind/decorators.hpp"
namespace ttnn::operations::scale_add {
void bind_scale_add(py::module& module) {
    const auto doc = R"doc(
        x * scale (+ other).
    )doc";
    using OperationType = decltype(ttnn::scale_add);
    ttnn::bind_registered_operation(
        module,
        ttnn::scale_add,
        doc,
        ttnn::pybind_overload_t{
            [](const OperationType& self,
               const ttnn::Tensor& input_tensor,
               const std::optional<const ttnn::Tensor>& other,
               float scale,
               const std::optional<MemoryConfig>& memory_config,
               const std::optional<CoreGrid>& core_grid,
               std::optional<const DeviceComputeKernelConfig> compute_kernel_config,
               QueueId queue_id) {
                return self(queue_id, input_tensor, other, scale, memory_config, core_grid, compute_kernel_config);
            },
            py::arg("input_tensor").noconvert(),
            py::arg("other") = std::nullopt,
            py::kw_only(),
            py::arg("scale") = 2.0f,
            py::arg("memory_config") = std::nullopt,
            py::arg("core_grid") = std::nullopt,
            py::arg("compute_kernel_config") = std::nullopt,
            py::arg("queue_id") = DefaultQueueId});
}
}  // namespace ttnn::operations::scale_add
