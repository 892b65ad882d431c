// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttnn-nanobind/nanobind_fwd.hpp"

namespace ttnn::operations::reduction::detail {
void bind_centralize_w_rm(nanobind::module_& mod);
}  // namespace ttnn::operations::reduction::detail
