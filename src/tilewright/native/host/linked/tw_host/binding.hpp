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

#include "tw_host/bound_names.hpp"
#include "tw_host/ttnn_types.hpp"

// A queue is its number in Python.
template <>
struct nanobind::detail::type_caster<ttnn::QueueId> {
    NB_TYPE_CASTER(ttnn::QueueId, const_name("int"))
    bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        make_caster<std::uint8_t> number;
        if (!number.from_python(source, flags, cleanup)) {
            return false;
        }
        value = ttnn::QueueId(number.value);
        return true;
    }
    static handle from_cpp(const ttnn::QueueId& queue, rv_policy policy, cleanup_list* cleanup) noexcept {
        return make_caster<std::uint8_t>::from_cpp(*queue, policy, cleanup);
    }
};

namespace nb = nanobind;

namespace ttnn {

namespace nb = nanobind;

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

#include "tw_host/export_enum.hpp"
#include "tw_host/registered_operation.hpp"
