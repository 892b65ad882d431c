// SPDX-License-Identifier: Apache-2.0
// nanobind's `class_`: each member is a bound function, named "Class.member" with a word for what it is; Python makes a
// class of them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "tw_host/binding.hpp"

namespace nanobind {

template <typename... A>
struct init {};

template <typename T, typename... Bases>
class class_ {
    static_assert(sizeof...(Bases) == 0, "tilewright: base classes of bound classes are not supported");

public:
    template <typename... Extra>
    class_(module_&, const char* name, const Extra&...) : name_(name) {
        tw::host::bind_class(typeid(T), name_);
    }

    template <typename... A, typename... Extra>
    class_& def(init<A...>, const Extra&... extra) {
        const auto make = [](A... given) {
            if constexpr (std::is_constructible_v<T, A...>) {
                return kept(std::make_shared<T>(std::forward<A>(given)...));
            } else {
                return kept(std::shared_ptr<T>(new T{std::forward<A>(given)...}));
            }
        };
        return add("", "__init__", make, extra...);
    }
    template <typename F, typename... Extra>
    class_& def(const char* name, F f, const Extra&... extra) {
        return define(name, as_function(f), extra...);
    }
    template <typename F, typename... Extra>
    class_& def_static(const char* name, F f, const Extra&... extra) {
        return add("static ", name, f, extra...);
    }

    template <typename C, typename M, typename... Extra>
    class_& def_ro(const char* name, M C::* member, const Extra&...) {
        return add("get ", name, [member](const Value& self) { return member_value(self, member); }, arg("self"));
    }
    template <typename C, typename M, typename... Extra>
    class_& def_rw(const char* name, M C::* member, const Extra&... extra) {
        def_ro(name, member, extra...);
        const auto set = [member](T& self, const M& value) { self.*member = value; };
        return add("set ", name, set, arg("self"), arg("value"));
    }
    template <typename F, typename... Extra>
    class_& def_prop_ro(const char* name, F get, const Extra&...) {
        return add("get ", name, as_function(get), arg("self"));
    }
    template <typename F, typename G, typename... Extra>
    class_& def_prop_rw(const char* name, F get, G set, const Extra&...) {
        def_prop_ro(name, get);
        return add("set ", name, as_function(set), arg("self"), arg("value"));
    }

    // pybind11's names.
    template <typename... A>
    class_& def_readonly(const A&... given) {
        return def_ro(given...);
    }
    template <typename... A>
    class_& def_readwrite(const A&... given) {
        return def_rw(given...);
    }
    template <typename... A>
    class_& def_property_readonly(const A&... given) {
        return def_prop_ro(given...);
    }
    template <typename... A>
    class_& def_property(const A&... given) {
        return def_prop_rw(given...);
    }

private:
    // Memory for a `T` that a function makes in it.
    struct Place {
        alignas(T) std::byte bytes[sizeof(T)];
        T* made = nullptr;
        ~Place() {
            if (made != nullptr) {
                made->~T();
            }
        }
    };

    template <typename R, typename... A, typename... Extra>
    class_& define(const char* name, const std::function<R(T*, A...)>& construct, const Extra&... extra) {
        const auto make = [construct](A... given) {
            const auto place = std::make_shared<Place>();
            T* object = reinterpret_cast<T*>(place->bytes);
            construct(object, std::forward<A>(given)...);
            place->made = object;
            return kept(std::shared_ptr<T>(place, object));
        };
        return add("", name, make, extra...);
    }
    template <typename F, typename... Extra>
    class_& define(const char* name, const F& f, const Extra&... extra) {
        return add("", name, f, arg("self"), extra...);
    }

    template <typename F>
    static auto as_function(F f) {
        return std::function(f);
    }
    template <typename R, typename C, typename... A>
    static std::function<R(T&, A...)> as_function(R (C::*f)(A...)) {
        return [f](T& self, A... given) -> R { return (self.*f)(std::forward<A>(given)...); };
    }
    template <typename R, typename C, typename... A>
    static std::function<R(const T&, A...)> as_function(R (C::*f)(A...) const) {
        return [f](const T& self, A... given) -> R { return (self.*f)(std::forward<A>(given)...); };
    }

    static Value kept(std::shared_ptr<T> object) { return tw::host::kept_object(typeid(T), std::move(object)); }
    // A member that is an object itself stays part of its owner, so that a change of it is one of the owner.
    template <typename C, typename M>
    static Value member_value(const Value& self, M C::* member) {
        const auto owner = tw::host::shared_object<T>(self);
        using Plain = std::remove_const_t<M>;
        if constexpr (tw::host::is_bound_object<Plain>) {
            return tw::host::kept_object(
                typeid(Plain), std::shared_ptr<void>(owner, const_cast<Plain*>(&(owner.get()->*member))));
        } else {
            return tw::host::to_value(owner.get()->*member);
        }
    }

    template <typename F, typename... Extra>
    class_& add(const char* kind, const std::string& name, const F& f, const Extra&... extra) {
        module_::add(name_ + "." + kind + name, "", f, extra...);
        return *this;
    }

    std::string name_;
};

}  // namespace nanobind
