// SPDX-License-Identifier: Apache-2.0
// What the generated namespace sem holds.
#pragma once

#include <cstdint>

enum class SemScope : uint8_t { LOCAL_NONATOMIC = 0, DM_LOCAL_CACHED = 1, EXTERNAL = 2, COMPUTE_ATOMIC = 3 };

struct SemaphoreBindingToken {
    std::uint32_t id;
    SemScope scope;
};
