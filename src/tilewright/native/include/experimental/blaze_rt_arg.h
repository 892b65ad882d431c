// SPDX-License-Identifier: Apache-2.0
// What a generated header says about named runtime arguments: where each lies, and whether all cores share it.
#pragma once

#include <cstdint>

namespace blaze_rt_args {

enum class Dispatch : uint8_t { COMMON, PER_CORE };

struct Arg {
    uint32_t index;
    Dispatch dispatch;
};

struct ArrayArg {
    uint32_t index, length;
    Dispatch dispatch;
};

}  // namespace blaze_rt_args
