// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "pybind11/pybind_fwd.hpp"
namespace ttnn::operations::scale_add {
namespace py = pybind11;
void bind_scale_add(py::module& module);
}  // namespace ttnn::operations::scale_add
