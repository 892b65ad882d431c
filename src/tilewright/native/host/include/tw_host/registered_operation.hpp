// SPDX-License-Identifier: Apache-2.0
// The spelling before bind_function, on either route: the last part of binding.hpp.
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tw_host/bound_names.hpp"
#include "tw_host/tensor.hpp"

namespace nanobind {
using module = module_;
}
namespace pybind11 = nanobind;
namespace py = nanobind;

namespace ttnn {

namespace device_operation {
template <typename Op>
typename Op::tensor_return_value_t launch(
    const typename Op::operation_attributes_t& attributes, const typename Op::tensor_args_t& inputs);
}  // namespace device_operation

// The spelling before bind_function: a struct with `invoke`, registered under a name, then bound. The `invoke` of a
// device operation gives its attributes and tensor arguments, which are then launched.
namespace decorators {
// What `invoke` gives: the queue in front is given to one that takes it, and kept from one that does not.
template <typename Operation, typename First, typename... A>
decltype(auto) invoked(First&& first, A&&... arguments) {
    if constexpr (requires { Operation::invoke(std::forward<First>(first), std::forward<A>(arguments)...); }) {
        return Operation::invoke(std::forward<First>(first), std::forward<A>(arguments)...);
    } else if constexpr (std::is_same_v<std::remove_cvref_t<First>, QueueId>) {
        return Operation::invoke(std::forward<A>(arguments)...);
    } else {
        return Operation::invoke(DefaultQueueId, std::forward<First>(first), std::forward<A>(arguments)...);
    }
}

template <unique_string Name, typename Operation>
struct registered_operation_t {
    template <typename... A>
    auto operator()(A&&... arguments) const {
        if constexpr (requires { typename Operation::operation_attributes_t; }) {
            const auto given = invoked<Operation>(std::forward<A>(arguments)...);
            return device_operation::launch<Operation>(std::get<0>(given), std::get<1>(given));
        } else {
            return invoked<Operation>(std::forward<A>(arguments)...);
        }
    }
    static constexpr const char* cpp_fully_qualified_name = Name.data;
    std::string base_name() const {
        const std::string name(Name.data);
        return name.substr(name.rfind(':') + 1);
    }
    std::string class_name() const { return base_name() + "_t"; }
    // "ttnn.add" for "ttnn::add"
    std::string python_fully_qualified_name() const {
        std::string name(Name.data);
        for (auto at = name.find("::"); at != std::string::npos; at = name.find("::", at)) {
            name.replace(at, 2, ".");
        }
        return name;
    }
};
template <typename... A>
struct nanobind_arguments_t {
    std::tuple<A...> value;
    nanobind_arguments_t(A... arguments) : value(arguments...) {}
};
template <typename F, typename... A>
struct nanobind_overload_t {
    F function;
    std::tuple<A...> arguments;
    nanobind_overload_t(F f, A... given) : function(f), arguments(given...) {}
};
}  // namespace decorators
using decorators::nanobind_arguments_t;
using decorators::nanobind_overload_t;
template <typename... A>
using pybind_arguments_t = decorators::nanobind_arguments_t<A...>;
template <typename F, typename... A>
using pybind_overload_t = decorators::nanobind_overload_t<F, A...>;

template <unique_string Name, typename Operation>
constexpr auto register_operation() {
    return decorators::registered_operation_t<Name, Operation>{};
}
template <unique_string Name, typename Operation>
constexpr auto register_operation_with_auto_launch_op() {
    return decorators::registered_operation_t<Name, Operation>{};
}

namespace detail {
template <typename Registered, typename R, typename... A>
void bind_overload(
    nb::module_& module,
    const Registered& operation,
    const std::string& doc,
    R (*invoke)(A...),
    const auto&... arguments) {
    module.def(operation.base_name().c_str(), invoke, arguments..., doc.c_str());
}
template <unique_string Name, typename Operation, typename... A>
void bind_one(
    nb::module_& module,
    const decorators::registered_operation_t<Name, Operation>& operation,
    const std::string& doc,
    const nanobind_arguments_t<A...>& overload) {
    std::apply(
        [&](const auto&... arguments) { bind_overload(module, operation, doc, &Operation::invoke, arguments...); },
        overload.value);
}
template <typename Registered, typename F, typename... A>
void bind_one(
    nb::module_& module,
    const Registered& operation,
    const std::string& doc,
    const nanobind_overload_t<F, A...>& overload) {
    // The first parameter of such a function is the operation itself.
    const auto with_self = []<typename R, typename Self, typename... P>(
                               const std::function<R(Self, P...)>& function, const Registered& self) {
        return std::function<R(P...)>([function, self](P... p) -> R { return function(self, std::forward<P>(p)...); });
    };
    std::apply(
        [&](const auto&... arguments) {
            module.def(
                operation.base_name().c_str(),
                with_self(std::function(overload.function), operation),
                arguments...,
                doc.c_str());
        },
        overload.arguments);
}
}  // namespace detail

template <typename Registered, typename... Overload>
void bind_registered_operation(
    nb::module_& module, const Registered& operation, const std::string& doc, const Overload&... overloads) {
    (detail::bind_one(module, operation, doc, overloads), ...);
}

}  // namespace ttnn
