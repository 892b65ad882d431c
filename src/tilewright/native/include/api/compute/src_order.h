// SPDX-License-Identifier: Apache-2.0
// Which of two operands goes to SrcA: matmul takes its second one there.
#pragma once

#include <cstdint>

namespace ckernel {

enum class SrcOrder : uint8_t { Regular = 0, Reverse = 1 };

}  // namespace ckernel
