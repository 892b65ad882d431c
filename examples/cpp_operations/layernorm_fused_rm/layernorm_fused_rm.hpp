// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ttnn/types.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// y = (x - mean(x)) * rsqrt(mean(square(x - mean(x))) + epsilon) * gamma + beta
Tensor layernorm_fused_rm(
    const Tensor& x,
    const Tensor& gamma,
    const Tensor& beta,
    float epsilon = 1e-05f,
    const std::optional<MemoryConfig>& memory_config = std::nullopt);

}  // namespace ttnn
