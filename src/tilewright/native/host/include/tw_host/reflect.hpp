// SPDX-License-Identifier: Apache-2.0
// Members of an operation's structs: the key of the program cache and the tensors of a call are read from them.
//
// A type with `attribute_values()` names its members itself. Members of a plain struct are counted by what it can be
// initialised with, then bound one by one. A wrong count is an error of the compiler, never a member left out.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace tw::host {

template <typename Owner>
struct AnyValue {
    template <typename T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, Owner>)
    operator T() const;
};
template <typename Owner>
struct AnyReference {
    template <typename T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, Owner>)
    operator T&() const;
};

template <typename T, std::size_t... Index>
consteval bool takes_references(std::index_sequence<Index...>) {
    return requires { T{(void(Index), AnyReference<T>{})...}; };
}
// From many to few: a struct with several reference members takes no fewer than all of them.
template <typename T, std::size_t Count>
consteval std::size_t most_references() {
    if constexpr (takes_references<T>(std::make_index_sequence<Count>())) {
        return Count;
    } else if constexpr (Count == 0) {
        return 0;
    } else {
        return most_references<T, Count - 1>();
    }
}
// One by one, for members that can only be moved.
template <typename T, typename... Given>
consteval std::size_t most_of_either() {
    if constexpr (requires { T{Given{}..., AnyReference<T>{}}; }) {
        return most_of_either<T, Given..., AnyReference<T>>();
    } else if constexpr (requires { T{Given{}..., AnyValue<T>{}}; }) {
        return most_of_either<T, Given..., AnyValue<T>>();
    } else {
        return sizeof...(Given);
    }
}
constexpr std::size_t most_members = 32;
template <typename T>
consteval std::size_t member_count() {
    constexpr std::size_t references = most_references<T, most_members>();
    constexpr std::size_t either = most_of_either<T>();
    return references > either ? references : either;
}

template <typename T, typename F>
decltype(auto) with_members(T& object, F&& f) {
    using Plain = std::remove_const_t<T>;
    static_assert(
        std::is_aggregate_v<Plain>,
        "members of this type cannot be listed: make it a plain struct, or give it attribute_names and "
        "attribute_values()");
    constexpr std::size_t count = member_count<Plain>();
    static_assert(
        count > 0 || std::is_empty_v<Plain>,
        "the members of this struct cannot be counted: give it attribute_names and attribute_values()");
#define TW_MEMBERS(number, ...) \
    else if constexpr (count == number) { \
        auto& [__VA_ARGS__] = object; \
        return std::forward<F>(f)(__VA_ARGS__); \
    }
    if constexpr (count == 0) {
        return std::forward<F>(f)();
    }
    TW_MEMBERS(1, a)
    TW_MEMBERS(2, a, b)
    TW_MEMBERS(3, a, b, c)
    TW_MEMBERS(4, a, b, c, d)
    TW_MEMBERS(5, a, b, c, d, e)
    TW_MEMBERS(6, a, b, c, d, e, g)
    TW_MEMBERS(7, a, b, c, d, e, g, h)
    TW_MEMBERS(8, a, b, c, d, e, g, h, i)
    TW_MEMBERS(9, a, b, c, d, e, g, h, i, j)
    TW_MEMBERS(10, a, b, c, d, e, g, h, i, j, k)
    TW_MEMBERS(11, a, b, c, d, e, g, h, i, j, k, l)
    TW_MEMBERS(12, a, b, c, d, e, g, h, i, j, k, l, m)
    TW_MEMBERS(13, a, b, c, d, e, g, h, i, j, k, l, m, n)
    TW_MEMBERS(14, a, b, c, d, e, g, h, i, j, k, l, m, n, o)
    TW_MEMBERS(15, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p)
    TW_MEMBERS(16, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q)
    TW_MEMBERS(17, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r)
    TW_MEMBERS(18, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s)
    TW_MEMBERS(19, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
    TW_MEMBERS(20, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
    TW_MEMBERS(21, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
    TW_MEMBERS(22, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
    TW_MEMBERS(23, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
    TW_MEMBERS(24, a, b, c, d, e, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y)
    else {
        static_assert(count <= 24, "more than 24 members: give the struct attribute_names and attribute_values()");
    }
#undef TW_MEMBERS
}

template <typename T>
concept has_attribute_values = requires(const T& object) { object.attribute_values(); };
template <typename T>
concept is_container = requires(const T& object) {
    object.begin();
    object.end();
    typename T::value_type;
};
template <typename T>
struct is_tuple : std::false_type {};
template <typename... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <typename A, typename B>
struct is_tuple<std::pair<A, B>> : std::true_type {};
template <typename T>
struct is_variant : std::false_type {};
template <typename... T>
struct is_variant<std::variant<T...>> : std::true_type {};
template <typename T>
concept is_optional = requires(const T& object) {
    object.has_value();
    *object;
};
template <typename T>
concept has_std_hash = requires(const T& object) { std::hash<T>()(object); };

inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
    seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
    seed ^= seed >> 32;
    return seed * 0xd6e8feb86659fd93ULL;
}

template <typename T>
std::uint64_t hash_of(const T& object);

template <typename Range>
std::uint64_t hash_of_range(const Range& range) {
    std::uint64_t seed = 0x51;
    for (const auto& element : range) {
        seed = mixed(seed, hash_of(element));
    }
    return seed;
}

template <typename T>
std::uint64_t hash_of(const T& object) {
    auto all = [](const auto&... member) {
        std::uint64_t seed = sizeof...(member);
        ((seed = mixed(seed, hash_of(member))), ...);
        return seed;
    };
    if constexpr (requires { object.to_hash(); }) {
        return object.to_hash();
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
        return mixed(1, static_cast<std::uint64_t>(object));
    } else if constexpr (std::is_floating_point_v<T>) {
        return mixed(2, std::bit_cast<std::uint64_t>(static_cast<double>(object)));
    } else if constexpr (std::is_convertible_v<const T&, std::string>) {
        return std::hash<std::string>()(object);
    } else if constexpr (is_optional<T>) {
        return object.has_value() ? mixed(3, hash_of(*object)) : 4;
    } else if constexpr (is_variant<T>::value) {
        return mixed(object.index(), std::visit([](const auto& content) { return hash_of(content); }, object));
    } else if constexpr (is_tuple<T>::value) {
        return std::apply(all, object);
    } else if constexpr (has_attribute_values<T>) {
        return std::apply(all, object.attribute_values());
    } else if constexpr (is_container<T>) {
        return hash_of_range(object);
    } else if constexpr (std::is_pointer_v<T>) {
        return std::hash<T>()(object);
    } else if constexpr (requires { object.get(); }) {
        return hash_of(object.get());
    } else if constexpr (has_std_hash<T>) {
        return std::hash<T>()(object);
    } else {
        return with_members(object, all);
    }
}

// Calls `f` with every object of type Wanted among the members, wherever it lies.
template <typename Wanted, typename T, typename F>
void for_each_of_type(T& object, const F& f) {
    using Plain = std::remove_const_t<T>;
    auto all = [&](auto&... member) { (for_each_of_type<Wanted>(member, f), ...); };
    if constexpr (std::is_same_v<Plain, Wanted>) {
        f(object);
    } else if constexpr (
        std::is_arithmetic_v<Plain> || std::is_enum_v<Plain> || std::is_pointer_v<Plain> ||
        std::is_convertible_v<const Plain&, std::string>) {
        return;
    } else if constexpr (is_optional<Plain>) {
        if (object.has_value()) {
            for_each_of_type<Wanted>(*object, f);
        }
    } else if constexpr (is_variant<Plain>::value) {
        std::visit([&](auto& content) { for_each_of_type<Wanted>(content, f); }, object);
    } else if constexpr (is_tuple<Plain>::value) {
        std::apply(all, object);
    } else if constexpr (is_container<Plain>) {
        for (auto& element : object) {
            for_each_of_type<Wanted>(element, f);
        }
    } else if constexpr (has_attribute_values<Plain>) {
        const auto values = object.attribute_values();
        std::apply([&](const auto&... member) { (for_each_of_type<Wanted>(member, f), ...); }, values);
    } else if constexpr (requires { object.get(); }) {
        for_each_of_type<Wanted>(object.get(), f);
    } else if constexpr (std::is_aggregate_v<Plain>) {
        with_members(object, all);
    }
}

}  // namespace tw::host

namespace ttsl::hash {
using hash_t = std::uint64_t;
constexpr hash_t DEFAULT_SEED = 1234;
template <typename T>
inline const hash_t type_hash = std::hash<std::string>()(typeid(T).name());
template <typename... T>
hash_t hash_objects(hash_t seed, const T&... object) {
    ((seed = tw::host::mixed(seed, tw::host::hash_of(object))), ...);
    return seed;
}
template <typename... T>
hash_t hash_objects_with_default_seed(const T&... object) {
    return hash_objects(DEFAULT_SEED, object...);
}
template <typename T>
void hash_combine(std::size_t& seed, const T& value) {
    seed = tw::host::mixed(seed, tw::host::hash_of(value));
}
namespace detail {
template <typename T>
hash_t hash_object(const T& object) {
    return tw::host::hash_of(object);
}
}  // namespace detail
}  // namespace ttsl::hash

namespace ttsl::reflection {
template <typename Wanted, typename T>
void visit_object_of_type(auto&& callback, T&& object) {
    tw::host::for_each_of_type<Wanted>(object, callback);
}
}  // namespace ttsl::reflection
