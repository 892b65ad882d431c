// SPDX-License-Identifier: Apache-2.0
// Named arguments: get_arg(args::name), where the generated namespace args says where each one is kept.
#pragma once

#include <cstdint>

#include "tw/arguments.h"

#define TT_KERNEL static inline

namespace experimental {

template <typename T>
struct RtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
    uint32_t byte_offset;
};
template <typename T>
struct CtaVal {
    T value;
};

template <typename T>
inline T get_arg(RtaArg<T> arg) {
    return get_arg_val<T>(arg.byte_offset / sizeof(uint32_t));
}
template <typename T>
inline T get_arg(CrtaArg<T> arg) {
    return get_common_arg_val<T>(arg.byte_offset / sizeof(uint32_t));
}
template <typename T>
constexpr T get_arg(CtaVal<T> arg) {
    return arg.value;
}

}  // namespace experimental
