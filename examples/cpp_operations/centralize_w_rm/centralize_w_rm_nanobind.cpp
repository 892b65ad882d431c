// SPDX-License-Identifier: Apache-2.0
#include "centralize_w_rm_nanobind.hpp"

#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "centralize_w_rm.hpp"
#include "ttnn-nanobind/bind_function.hpp"

namespace ttnn::operations::reduction::detail {

void bind_centralize_w_rm(nb::module_& mod) {
    ttnn::bind_function<"centralize_w_rm">(
        mod,
        R"doc(y = x - mean(x))doc",
        &ttnn::centralize_w_rm,
        nb::arg("x").noconvert(),
        nb::kw_only(),
        nb::arg("memory_config") = nb::none());
}

}  // namespace ttnn::operations::reduction::detail
