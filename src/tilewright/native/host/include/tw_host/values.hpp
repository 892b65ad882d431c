// SPDX-License-Identifier: Apache-2.0
// How the host API's types look in messages: `to_value`, and `from_value<T>` for what functions take.
//
// A type of ttnn is a list that begins with its name; an enum is the name of its value.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tw_host/bound_objects.hpp"
#include "tw_host/compute_kernel_config.hpp"
#include "tw_host/global_objects.hpp"
#include "tw_host/message.hpp"
#include "tw_host/tensor.hpp"

namespace ttnn::types {
struct CoreGrid;
}

namespace tw::host {

// The value is none that a C++ type takes; the next overload may.
struct CastError : std::runtime_error {
    CastError(const std::string& wanted, const Value& value) :
        std::runtime_error("expected " + wanted + ", got " + value.text()) {}
};

Value to_value(const tt::tt_metal::CoreCoord& core);
Value to_value(const tt::tt_metal::CoreRange& range);
Value to_value(const tt::tt_metal::CoreRangeSet& set);
Value to_value(const tt::tt_metal::Shape& shape);
Value to_value(const tt::tt_metal::MemoryConfig& config);
Value to_value(const tt::tt_metal::Tile& tile);
Value to_value(const tt::tt_metal::TensorSpec& spec);
Value to_value(const ttnn::Tensor& tensor);
Value to_value(const ttnn::ComputeKernelConfig& config);
inline Value to_value(const Handle& handle) { return handle; }
inline Value to_value(const Value& value) { return value; }
inline Value to_value(tt::tt_metal::distributed::MeshDevice* device) {
    return device == nullptr ? Value() : Value(device->python());
}
inline Value to_value(const std::string& text) { return text; }
inline Value to_value(const char* text) { return text; }
inline Value to_value(std::nullopt_t) { return {}; }
template <typename T>
    requires std::is_arithmetic_v<T>
Value to_value(T number) {
    return number;
}
template <typename T, typename Tag>
Value to_value(const ttsl::StrongType<T, Tag>& value) {
    return to_value(*value);
}
template <typename T>
    requires std::is_enum_v<T>
Value to_value(T value) {
    return List{"enum", enum_name(value), short_type_name(typeid(T)), static_cast<std::int64_t>(value)};
}
template <typename T>
concept is_sequence =
    requires(const T& range) {
        range.begin();
        range.end();
    } && !std::is_convertible_v<const T&, std::string> && !std::is_same_v<T, tt::tt_metal::Shape> &&
    !std::is_same_v<T, tt::tt_metal::CoreRange>;
template <typename T>
struct FromValue;
// A class that no form of messages is for: one that the folder binds.
template <typename T>
concept is_bound_object = requires { FromValue<T>::is_object; } && !is_sequence<T>;
template <typename T>
Value to_value(const std::optional<T>& value);
template <typename... T>
Value to_value(const std::variant<T...>& value);
template <typename... T>
Value to_value(const std::tuple<T...>& tuple);
template <is_sequence T>
Value to_value(const T& range);
template <is_bound_object T>
Value to_value(const T& object) {
    return kept_object(typeid(T), std::make_shared<T>(object));
}
template <is_sequence T>
Value to_value(const T& range) {
    List list{"list"};
    for (const auto& element : range) {
        list.push_back(to_value(element));
    }
    return list;
}
template <typename T>
Value to_value(const std::optional<T>& value) {
    return value ? to_value(*value) : Value();
}
template <typename... T>
Value to_value(const std::variant<T...>& value) {
    return std::visit([](const auto& content) { return to_value(content); }, value);
}
template <typename... T>
Value to_value(const std::tuple<T...>& tuple) {
    List list{"tuple"};
    std::apply([&](const auto&... element) { (list.push_back(to_value(element)), ...); }, tuple);
    return list;
}
template <typename A, typename B>
Value to_value(const std::pair<A, B>& pair) {
    return List{"tuple", to_value(pair.first), to_value(pair.second)};
}

template <typename T>
struct FromValue {
    static_assert(std::is_class_v<T>, "tilewright: a value of this type cannot pass between Python and C++");
    static constexpr bool is_object = true;
    static T get(const Value& value) { return *shared_object<T>(value); }
    static std::string name() { return short_type_name(typeid(T)); }
};
template <typename T>
T from_value(const Value& value) {
    return FromValue<T>::get(value);
}

#define TW_FROM_VALUE(type) \
    template <> \
    struct FromValue<type> { \
        static type get(const Value& value); \
        static std::string name() { return #type; } \
    };
TW_FROM_VALUE(bool)
TW_FROM_VALUE(tt::tt_metal::CoreCoord)
TW_FROM_VALUE(tt::tt_metal::CoreRange)
TW_FROM_VALUE(tt::tt_metal::CoreRangeSet)
TW_FROM_VALUE(tt::tt_metal::Shape)
TW_FROM_VALUE(tt::tt_metal::ShardSpec)
TW_FROM_VALUE(tt::tt_metal::NdShardSpec)
TW_FROM_VALUE(tt::tt_metal::MemoryConfig)
TW_FROM_VALUE(tt::tt_metal::Tile)
TW_FROM_VALUE(ttnn::Tensor)
TW_FROM_VALUE(ttnn::ComputeKernelConfig)
TW_FROM_VALUE(tt::tt_metal::distributed::MeshDevice*)
#undef TW_FROM_VALUE
template <>
struct FromValue<std::string> {
    static std::string get(const Value& value);
    static std::string name() { return "str"; }
};

// What no call has: Python can give None for it alone.
template <typename T>
    requires(
        std::is_same_v<T, tt::tt_metal::experimental::GlobalCircularBuffer> ||
        std::is_same_v<T, tt::tt_metal::GlobalSemaphore>)
struct FromValue<T> {
    static T get(const Value& value) {
        throw CastError("None (objects that several programs share are not simulated)", value);
    }
    static std::string name() {
        return std::is_same_v<T, tt::tt_metal::GlobalSemaphore> ? "ttnn.GlobalSemaphore" : "ttnn.GlobalCircularBuffer";
    }
};

template <>
struct FromValue<ttnn::types::CoreGrid> {
    static ttnn::types::CoreGrid get(const Value& value);
    static std::string name() { return "ttnn::CoreGrid"; }
};

template <>
struct FromValue<Value> {
    static Value get(const Value& value) { return value; }
    static std::string name() { return "object"; }
};

// A message holds no object that a function could keep a reference to.
template <typename T>
struct FromValue<T&> {
    static T& get(const Value& value) { throw CastError("nothing (a reference is not taken from Python)", value); }
    static std::string name() { return FromValue<T>::name(); }
};

template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct FromValue<T> {
    static T get(const Value& value) {
        if (!value.is_int()) {
            throw CastError("int", value);
        }
        if (!std::in_range<T>(value.as_int())) {
            throw CastError(
                "an int from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                    std::to_string(std::numeric_limits<T>::max()),
                value);
        }
        return static_cast<T>(value.as_int());
    }
    static std::string name() { return "int"; }
};
template <typename T, typename Tag>
struct FromValue<ttsl::StrongType<T, Tag>> {
    static ttsl::StrongType<T, Tag> get(const Value& value) {
        return ttsl::StrongType<T, Tag>(FromValue<T>::get(value));
    }
    static std::string name() { return FromValue<T>::name(); }
};
template <typename T>
    requires std::is_floating_point_v<T>
struct FromValue<T> {
    static T get(const Value& value) {
        if (!value.is_int() && !value.is_float()) {
            throw CastError("float", value);
        }
        return static_cast<T>(value.as_float());
    }
    static std::string name() { return "float"; }
};
template <typename T>
    requires std::is_enum_v<T>
struct FromValue<T> {
    static T get(const Value& value) {
        T result{};
        if (value.is("enum") && value.size() > 2 && value.at(2).as_text() == short_type_name(typeid(T))) {
            return static_cast<T>(value.at(3).as_int());
        }
        if (!value.is("enum") || !enum_from_name(value.at(1).as_text(), result)) {
            throw CastError("an enum", value);
        }
        return result;
    }
    static std::string name() {
        const std::string scoped = scoped_enum_name(T{});
        return scoped.substr(0, scoped.find("::"));
    }
};
template <typename T>
struct FromValue<std::optional<T>> {
    static std::optional<T> get(const Value& value) {
        return value.is_none() ? std::nullopt : std::optional<T>(from_value<std::remove_const_t<T>>(value));
    }
    static std::string name() { return FromValue<std::remove_const_t<T>>::name() + " | None"; }
};
template <typename Container>
Container container_from(const Value& value, const std::string& name) {
    if (!value.is("list") && !value.is("tuple") && !value.is("Shape")) {
        throw CastError(name, value);
    }
    Container elements;
    for (std::size_t index = 1; index < value.size(); ++index) {
        elements.push_back(from_value<typename Container::value_type>(value.at(index)));
    }
    return elements;
}
template <typename T>
struct FromValue<std::vector<T>> {
    static std::vector<T> get(const Value& value) { return container_from<std::vector<T>>(value, name()); }
    static std::string name() { return "list[" + FromValue<T>::name() + "]"; }
};
template <typename T, std::size_t N>
struct FromValue<ttsl::SmallVector<T, N>> {
    static ttsl::SmallVector<T, N> get(const Value& value) {
        return container_from<ttsl::SmallVector<T, N>>(value, name());
    }
    static std::string name() { return "list[" + FromValue<T>::name() + "]"; }
};
template <typename T, std::size_t N>
struct FromValue<std::array<T, N>> {
    static std::array<T, N> get(const Value& value) {
        const auto elements = container_from<std::vector<T>>(value, name());
        if (elements.size() != N) {
            throw CastError(name(), value);
        }
        std::array<T, N> array;
        std::copy(elements.begin(), elements.end(), array.begin());
        return array;
    }
    static std::string name() { return "list of " + std::to_string(N) + " " + FromValue<T>::name(); }
};
template <typename A, typename B>
struct FromValue<std::pair<A, B>> {
    static std::pair<A, B> get(const Value& value) {
        if ((!value.is("list") && !value.is("tuple")) || value.size() != 3) {
            throw CastError(name(), value);
        }
        return {from_value<A>(value.at(1)), from_value<B>(value.at(2))};
    }
    static std::string name() { return "(" + FromValue<A>::name() + ", " + FromValue<B>::name() + ")"; }
};
template <typename... T>
struct FromValue<std::tuple<T...>> {
    static std::tuple<T...> get(const Value& value) {
        if ((!value.is("list") && !value.is("tuple")) || value.size() != sizeof...(T) + 1) {
            throw CastError(name(), value);
        }
        std::size_t index = 1;
        return std::tuple<T...>{from_value<T>(value.at(index++))...};
    }
    static std::string name() { return "tuple"; }
};
template <typename... T>
struct FromValue<std::variant<T...>> {
    static std::variant<T...> get(const Value& value) {
        std::optional<std::variant<T...>> result;
        // A whole number fits a float too; the alternative of the number's own kind comes first.
        (try_one<T>(value, result, true), ...);
        (try_one<T>(value, result, false), ...);
        if (!result) {
            throw CastError(name(), value);
        }
        return *result;
    }
    static std::string name() {
        std::string names;
        ((names += (names.empty() ? "" : " | ") + FromValue<T>::name()), ...);
        return names;
    }

private:
    template <typename U>
    static void try_one(const Value& value, std::optional<std::variant<T...>>& result, bool exact) {
        if (result || (exact && std::is_floating_point_v<U> && value.is_int())) {
            return;
        }
        try {
            result = from_value<U>(value);
        } catch (const CastError&) {
        }
    }
};
template <typename T>
struct FromValue<ttsl::Span<const T>>;

}  // namespace tw::host
