// SPDX-License-Identifier: Apache-2.0
// nanobind's and pybind11's names for functions that Python calls, on messages instead of Python's ABI.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tw_host/bound_names.hpp"
#include "tw_host/values.hpp"

namespace nanobind {

using tw::host::Value;

struct none {};
struct kw_only {};
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <typename... T>
struct call_guard {};
enum class rv_policy { automatic, automatic_reference, take_ownership, copy, move, reference, reference_internal };
template <std::size_t Nurse, std::size_t Patient>
struct keep_alive {};
struct sig {
    explicit sig(const char*) {}
};
struct is_method {};

// A default value as Python's object: values go into messages as they are.
template <typename T>
const T& cast(const T& value) {
    return value;
}

inline Value default_value(const none&) { return {}; }
template <typename T>
Value default_value(const T& value) {
    return tw::host::to_value(value);
}

struct arg {
    explicit arg(const char* name) : name(name) {}
    template <typename T>
    arg operator=(const T& value) const {
        arg copy(*this);
        copy.default_to = default_value(value);
        return copy;
    }
    arg& operator=(const arg&) = default;
    arg(const arg&) = default;
    arg& noconvert(bool = true) { return *this; }
    arg& none(bool = true) { return *this; }
    arg& sig(const char*) { return *this; }
    std::string name;
    std::optional<Value> default_to;
};

// `overload_cast<int, float>(&f)`: the overload of f with these parameters.
template <typename... A>
struct overload_cast_t {
    template <typename R>
    constexpr auto operator()(R (*function)(A...)) const {
        return function;
    }
};
template <typename... A>
inline constexpr overload_cast_t<A...> overload_cast{};

namespace literals {
inline arg operator""_a(const char* name, std::size_t) { return arg(name); }
}  // namespace literals

// One function with its parameters; functions of one name are overloads.
struct Function {
    struct Parameter {
        std::string name, type;
        std::optional<Value> default_to;
        bool keyword_only = false;
    };
    std::string name, doc, owner;
    std::vector<Parameter> parameters;
    std::function<Value(const std::vector<Value>&)> call;
};

class module_ {
public:
    template <typename F, typename... Extra>
    module_& def(const char* name, F&& f, const Extra&... extra) {
        add(name, "", std::forward<F>(f), extra...);
        return *this;
    }
    module_ def_submodule(const char*, const char* = "") { return *this; }
    struct Attribute {
        template <typename T>
        void operator=(const T&) {}
    };
    Attribute attr(const char*) { return {}; }
    Attribute doc() { return {}; }

    template <typename F, typename... Extra>
    static void add(const std::string& name, const std::string& owner, F&& f, const Extra&... extra) {
        add_function(name, owner, std::function(std::forward<F>(f)), extra...);
    }

private:
    template <typename R, typename... A, typename... Extra>
    static void add_function(
        const std::string& name, const std::string& owner, std::function<R(A...)> f, const Extra&... extra) {
        Function function{name, "", owner, {}, {}};
        bool keyword_only = false;
        (take(function, keyword_only, extra), ...);
        const std::vector<std::string> types = {tw::host::FromValue<Plain<A>>::name()...};
        for (std::size_t index = 0; index < types.size(); ++index) {
            if (function.parameters.size() <= index) {
                function.parameters.push_back({"arg" + std::to_string(index), "", std::nullopt, keyword_only});
            }
            function.parameters[index].type = types[index];
        }
        function.call = [f](const std::vector<Value>& values) {
            return apply<R, A...>(f, values, std::index_sequence_for<A...>());
        };
        keep(std::move(function));
    }
    template <typename A>
    using Plain = std::remove_cvref_t<A>;
    // An argument while a function runs: a value of its own, or the object itself that Python has a number of.
    template <typename A, bool is_object = tw::host::is_bound_object<Plain<A>>>
    struct Held {
        explicit Held(const Value& given) : value(tw::host::from_value<Plain<A>>(given)) {}
        Plain<A>& get() { return value; }
        Plain<A> value;
    };
    template <typename A>
    struct Held<A, true> {
        explicit Held(const Value& given) : object(tw::host::shared_object<Plain<A>>(given)) {}
        Plain<A>& get() { return *object; }
        std::shared_ptr<Plain<A>> object;
    };
    template <typename R, typename... A, std::size_t... Index>
    static Value apply(
        const std::function<R(A...)>& f, const std::vector<Value>& values, std::index_sequence<Index...>) {
        std::tuple<Held<A>...> arguments{Held<A>(values[Index])...};
        if constexpr (std::is_void_v<R>) {
            f(static_cast<A>(std::get<Index>(arguments).get())...);
            return {};
        } else {
            return tw::host::to_value(f(static_cast<A>(std::get<Index>(arguments).get())...));
        }
    }
    static void take(Function& function, bool& keyword_only, const arg& parameter) {
        function.parameters.push_back({parameter.name, "", parameter.default_to, keyword_only});
    }
    static void take(Function&, bool& keyword_only, const kw_only&) { keyword_only = true; }
    static void take(Function& function, bool&, const char* doc) { function.doc = doc; }
    static void take(Function& function, bool&, const std::string& doc) { function.doc = doc; }
    template <typename T>
    static void take(Function&, bool&, const T&) {}
    static void keep(Function function);
};

// Enums of an operation: Python has one of the same names.
void note_enum(const std::string& name, const std::string& type);
void note_enum_value(const std::string& name, const std::string& value_name, std::int64_t value);
template <typename E>
class enum_ {
public:
    template <typename... Extra>
    enum_(module_&, const char* name, const Extra&...) : name_(name) {
        note_enum(name_, tw::host::short_type_name(typeid(E)));
    }
    template <typename... Extra>
    enum_& value(const char* value_name, E value, const Extra&...) {
        note_enum_value(name_, value_name, static_cast<std::int64_t>(value));
        return *this;
    }
    enum_& export_values() { return *this; }
    enum_& def(const auto&...) { return *this; }  // texts and comparisons are Python's

private:
    std::string name_;
};

}  // namespace nanobind

namespace nb = nanobind;

// What the build's generated file defines: it calls every function of the folder that takes a module.
extern "C" void tw_bind_all(nanobind::module_& module);

namespace ttnn {

namespace nb = nanobind;

template <unique_string Name, unique_string Namespace = unique_string{"ttnn."}, typename F, typename... A>
    requires(!is_overload<std::remove_cvref_t<F>>::value)
void bind_function(nb::module_&, const char* doc, F f, const A&... arguments) {
    nb::module_::add(Name.data, Namespace.data, f, arguments..., doc);
}
template <unique_string Name, unique_string Namespace = unique_string{"ttnn."}, typename... Overload>
    requires(is_overload<std::remove_cvref_t<Overload>>::value && ...)
void bind_function(nb::module_&, const char* doc, const Overload&... overloads) {
    (std::apply(
         [&](const auto&... arguments) {
             nb::module_::add(Name.data, Namespace.data, overloads.function, arguments..., doc);
         },
         overloads.arguments),
     ...);
}

}  // namespace ttnn

#include "tw_host/bound_class.hpp"
#include "tw_host/export_enum.hpp"
#include "tw_host/registered_operation.hpp"
