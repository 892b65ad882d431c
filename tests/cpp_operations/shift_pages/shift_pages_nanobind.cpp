// SPDX-License-Identifier: Apache-2.0
#include "shift_pages_nanobind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "shift_pages.hpp"
#include "ttnn-nanobind/bind_function.hpp"

namespace ttnn::operations::data_movement::detail {

void bind_shift_pages(nb::module_& mod) {
    ttnn::bind_function<"shift_pages">(
        mod,
        "Pages of a row-major tensor, rotated by an offset.",
        &ttnn::shift_pages,
        nb::arg("input_tensor").noconvert(),
        nb::arg("offset"),
        nb::kw_only(),
        nb::arg("memory_config") = nb::none(),
        nb::arg("optional_output_tensor") = nb::none());
}

}  // namespace ttnn::operations::data_movement::detail
