// SPDX-License-Identifier: Apache-2.0
// Arguments of the running kernel. Those known only per kernel are declared here and defined in tw/generated_dependent.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "../../abi/context.h"
#include "../../abi/debug.h"
#include "internal/risc_attribs.h"

namespace tw {

inline uint32_t* argument(const char* call, uint32_t* values, uint32_t count, int index) {
    if (uint32_t(index) >= count) {
        tw_argument_missing(call, index, count);
    }
    return values + index;
}

}  // namespace tw

// The address of the argument after the last is allowed: kernels take it before looking whether there are any.
inline uintptr_t get_arg_addr(int arg_idx) { return uintptr_t(tw_context()->runtime_args + arg_idx); }
inline uintptr_t get_common_arg_addr(int arg_idx) { return uintptr_t(tw_context()->common_runtime_args + arg_idx); }

template <typename T = uint32_t>
inline T get_arg_val(int arg_idx) {
    static_assert(sizeof(T) == 4, "a runtime argument has 4 bytes");
    tw::KernelContext* context = tw_context();
    uint32_t* value = tw::argument("get_arg_val", context->runtime_args, context->num_runtime_args, arg_idx);
    return *reinterpret_cast<T*>(value);
}

template <typename T = uint32_t>
inline T get_common_arg_val(int arg_idx) {
    static_assert(sizeof(T) == 4, "a common runtime argument has 4 bytes");
    tw::KernelContext* context = tw_context();
    uint32_t* value =
        tw::argument("get_common_arg_val", context->common_runtime_args, context->num_common_runtime_args, arg_idx);
    return *reinterpret_cast<T*>(value);
}

template <uint32_t Idx>
constexpr uint32_t get_ct_arg();
constexpr uint32_t get_named_ct_arg(std::string_view name);
constexpr uint32_t get_named_compile_time_arg_val(std::string_view name);
#define get_compile_time_arg_val(arg_idx) get_ct_arg<arg_idx>()
