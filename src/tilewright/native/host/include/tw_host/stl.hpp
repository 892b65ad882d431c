// SPDX-License-Identifier: Apache-2.0
// tt_stl's vocabulary types: spans, small vectors, strong types, optional references.
#pragma once

// Host code counts on what tt-metal's headers include.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tw_host/small_vector.hpp"

namespace ttsl {

template <typename T, std::size_t Extent = std::dynamic_extent>
using Span = std::span<T, Extent>;
template <typename Container>
auto make_const_span(const Container& container) {
    return Span<const typename Container::value_type>(container.data(), container.size());
}
template <typename Container>
auto make_span(Container& container) {
    return Span<typename Container::value_type>(container.data(), container.size());
}

template <typename T, typename Tag>
class StrongType {
public:
    using value_type = T;
    constexpr StrongType() = default;
    constexpr explicit StrongType(T value) : value_(std::move(value)) {}
    constexpr const T& operator*() const { return value_; }
    constexpr const T& get() const { return value_; }
    friend constexpr auto operator<=>(const StrongType&, const StrongType&) = default;
    friend constexpr bool operator==(const StrongType&, const StrongType&) = default;
    auto attribute_values() const { return std::forward_as_tuple(value_); }
    friend std::ostream& operator<<(std::ostream& stream, const StrongType& value) { return stream << *value; }

private:
    T value_{};
};

template <typename T>
class optional_reference {
public:
    optional_reference() = default;
    optional_reference(std::nullopt_t) {}
    optional_reference(T& value) : value_(std::addressof(value)) {}
    optional_reference(std::optional<std::remove_const_t<T>>& value) : value_(value ? &*value : nullptr) {}
    optional_reference(const std::optional<std::remove_const_t<T>>& value)
        requires std::is_const_v<T>
        : value_(value ? &*value : nullptr) {}
    bool has_value() const { return value_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    T* operator->() const { return value_; }
    T& operator*() const { return *value_; }
    T& value() const { return *value_; }
    void reset() { value_ = nullptr; }

private:
    T* value_ = nullptr;
};

template <typename... F>
struct overloaded : F... {
    using F::operator()...;
};
template <typename... F>
overloaded(F...) -> overloaded<F...>;

template <typename T>
class Indestructible {
public:
    template <typename... A>
    explicit Indestructible(A&&... arguments) {
        new (storage_) T(std::forward<A>(arguments)...);
    }
    T& get() { return *reinterpret_cast<T*>(storage_); }

private:
    alignas(T) std::byte storage_[sizeof(T)];
};

namespace concepts {
template <typename...>
inline constexpr bool always_false_v = false;
}  // namespace concepts

}  // namespace ttsl

namespace tt::stl {
using namespace ::ttsl;
}
namespace tt {
using ttsl::Span;
}

template <typename T, typename Tag>
struct std::hash<ttsl::StrongType<T, Tag>> {
    std::size_t operator()(const ttsl::StrongType<T, Tag>& value) const { return std::hash<T>()(*value); }
};
