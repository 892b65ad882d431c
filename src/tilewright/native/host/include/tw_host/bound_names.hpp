// SPDX-License-Identifier: Apache-2.0
// Arguments of ttnn's bind_function: names as template arguments, and overloads of a function.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace ttnn {

template <std::size_t N>
struct unique_string {
    char data[N];
    constexpr unique_string(const char (&text)[N]) {
        for (std::size_t index = 0; index < N; ++index) {
            data[index] = text[index];
        }
    }
    constexpr operator const char*() const { return data; }
};

template <typename F, typename... A>
struct overload_t {
    F function;
    std::tuple<A...> arguments;
    overload_t(F f, const A&... given) : function(f), arguments(given...) {}
};
template <typename T>
struct is_overload : std::false_type {};
template <typename F, typename... A>
struct is_overload<overload_t<F, A...>> : std::true_type {};

}  // namespace ttnn
