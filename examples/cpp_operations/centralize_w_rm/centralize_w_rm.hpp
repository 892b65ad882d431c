// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ttnn/types.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// y = x - mean(x)
Tensor centralize_w_rm(
    const Tensor& x,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);

}  // namespace ttnn
