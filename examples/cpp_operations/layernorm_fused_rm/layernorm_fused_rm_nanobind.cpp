// SPDX-License-Identifier: Apache-2.0
#include "layernorm_fused_rm_nanobind.hpp"

#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "layernorm_fused_rm.hpp"
#include "ttnn-nanobind/bind_function.hpp"

namespace ttnn::operations::reduction::detail {

void bind_layernorm_fused_rm(nb::module_& mod) {
    ttnn::bind_function<"layernorm_fused_rm">(
        mod,
        R"doc(y = (x - mean(x)) * rsqrt(mean(square(x - mean(x))) + epsilon) * gamma + beta)doc",
        &ttnn::layernorm_fused_rm,
        nb::arg("x").noconvert(),
        nb::arg("gamma").noconvert(),
        nb::arg("beta").noconvert(),
        nb::arg("epsilon") = 1e-05f,
        nb::kw_only(),
        nb::arg("memory_config") = nb::none());
}

}  // namespace ttnn::operations::reduction::detail
