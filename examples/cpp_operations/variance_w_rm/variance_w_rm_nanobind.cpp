// SPDX-License-Identifier: Apache-2.0
#include "variance_w_rm_nanobind.hpp"

#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "variance_w_rm.hpp"
#include "ttnn-nanobind/bind_function.hpp"

namespace ttnn::operations::reduction::detail {

void bind_variance_w_rm(nb::module_& mod) {
    ttnn::bind_function<"variance_w_rm">(
        mod,
        R"doc(y = mean(square(x - mean(x))))doc",
        &ttnn::variance_w_rm,
        nb::arg("x").noconvert(),
        nb::kw_only(),
        nb::arg("memory_config") = nb::none());
}

}  // namespace ttnn::operations::reduction::detail
