// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensor_accessor {

constexpr std::size_t MAX_RANK = 8;
constexpr std::size_t UNKNOWN = ~std::size_t(0);
inline constexpr uint32_t NO_BINDING_ID = 0xFFFFFFFFu;

}  // namespace tensor_accessor
