// SPDX-License-Identifier: Apache-2.0
// Bindings with nanobind itself, whose types are those that ttnn's modules have bound.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tw_host/ttnn_types.hpp"

namespace nb = nanobind;

namespace ttnn {

namespace nb = nanobind;

template <std::size_t N>
struct unique_string {
    char data[N];
    constexpr unique_string(const char (&text)[N]) {
        for (std::size_t index = 0; index < N; ++index) {
            data[index] = text[index];
        }
    }
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

template <unique_string Name, unique_string Namespace = unique_string{"ttnn."}, typename F, typename... A>
    requires(!is_overload<std::remove_cvref_t<F>>::value)
void bind_function(nb::module_& module, const char* doc, F f, const A&... arguments) {
    module.def(Name.data, f, arguments..., doc);
}
template <unique_string Name, unique_string Namespace = unique_string{"ttnn."}, typename... Overload>
    requires(is_overload<std::remove_cvref_t<Overload>>::value && ...)
void bind_function(nb::module_& module, const char* doc, const Overload&... overloads) {
    (std::apply(
         [&](const auto&... arguments) { module.def(Name.data, overloads.function, arguments..., doc); },
         overloads.arguments),
     ...);
}

}  // namespace ttnn
