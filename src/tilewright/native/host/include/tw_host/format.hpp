// SPDX-License-Identifier: Apache-2.0
// Texts with placeholders in fmt's notation: `{}`, `{0}`, `{:08x}`, `{{`.
//
// A value is shown by its `fmt::formatter`, else as a number, text, enum name, container or optional, else with its
// `operator<<`. Errors in a format text show up in the text: a message about a failure must not fail itself.
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "tw_host/enum_names.hpp"

namespace fmt {

using std::string_view;

class format_context {
public:
    using iterator = std::back_insert_iterator<std::string>;
    explicit format_context(std::string& text) : text_(&text) {}
    iterator out() const { return std::back_inserter(*text_); }
    void advance_to(iterator) {}
    std::string& text() const { return *text_; }

private:
    std::string* text_;
};

class format_parse_context {
public:
    using iterator = const char*;
    explicit format_parse_context(std::string_view spec) : spec_(spec) {}
    constexpr iterator begin() const { return spec_.data(); }
    constexpr iterator end() const { return spec_.data() + spec_.size(); }
    constexpr void advance_to(iterator) {}

private:
    std::string_view spec_;
};

template <typename T, typename Char = char, typename Enable = void>
struct formatter {
    formatter() = delete;
};

namespace detail {

template <typename T>
concept has_formatter = std::is_default_constructible_v<formatter<T>>;
template <typename T>
concept is_streamable = requires(std::ostream& stream, const T& value) { stream << value; };
template <typename T>
concept is_range = requires(const T& value) {
    value.begin();
    value.end();
};
template <typename T>
concept is_map = is_range<T> && requires { typename T::mapped_type; };
template <typename T>
concept is_optional = requires(const T& value) {
    value.has_value();
    *value;
};
template <typename T>
struct is_variant : std::false_type {};
template <typename... T>
struct is_variant<std::variant<T...>> : std::true_type {};
template <typename T>
struct is_tuple : std::false_type {};
template <typename... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <typename A, typename B>
struct is_tuple<std::pair<A, B>> : std::true_type {};

std::string padded(std::string text, std::string_view spec, bool is_number);
std::string shown_integer(std::uint64_t magnitude, bool negative, std::string_view spec);
std::string shown_float(double value, std::string_view spec);

template <typename T>
std::string shown(const T& value, std::string_view spec);

template <typename Range>
std::string shown_range(const Range& range, std::string_view separator = ", ") {
    std::string text;
    for (const auto& element : range) {
        text += (text.empty() ? std::string_view() : separator);
        text += shown(element, {});
    }
    return text;
}

template <typename Map>
std::string shown_map(const Map& map) {
    std::string text;
    for (const auto& [key, element] : map) {
        text += (text.empty() ? "" : ", ") + shown(key, {}) + ": " + shown(element, {});
    }
    return "{" + text + "}";
}

template <typename T>
std::string shown(const T& value, std::string_view spec) {
    using V = std::remove_cvref_t<T>;
    if constexpr (has_formatter<V>) {
        std::string text;
        formatter<V> form;
        format_parse_context parse(spec);
        form.parse(parse);
        format_context context(text);
        form.format(value, context);
        return text;
    } else if constexpr (std::is_same_v<V, bool>) {
        return padded(value ? "true" : "false", spec, false);
    } else if constexpr (std::is_same_v<V, char>) {
        return padded(std::string(1, value), spec, false);
    } else if constexpr (std::is_integral_v<V>) {
        if constexpr (std::is_signed_v<V>) {
            const auto wide = static_cast<std::int64_t>(value);
            return shown_integer(wide < 0 ? -static_cast<std::uint64_t>(wide) : wide, wide < 0, spec);
        } else {
            return shown_integer(value, false, spec);
        }
    } else if constexpr (std::is_floating_point_v<V>) {
        return shown_float(value, spec);
    } else if constexpr (std::is_convertible_v<const V&, std::string_view>) {
        return padded(std::string(std::string_view(value)), spec, false);
    } else if constexpr (std::is_enum_v<V>) {
        return padded(tw::host::scoped_enum_name(value), spec, false);
    } else if constexpr (is_variant<V>::value) {
        return std::visit([&](const auto& content) { return shown(content, spec); }, value);
    } else if constexpr (std::is_pointer_v<V>) {
        return value == nullptr ? "nullptr" : shown_integer(reinterpret_cast<std::uintptr_t>(value), false, "#x");
    } else if constexpr (is_optional<V>) {
        return value.has_value() ? shown(*value, spec) : "std::nullopt";
    } else if constexpr (is_streamable<V>) {
        std::ostringstream stream;
        stream << value;
        return padded(stream.str(), spec, false);
    } else if constexpr (is_map<V>) {
        return shown_map(value);
    } else if constexpr (is_range<V>) {
        return "{" + shown_range(value) + "}";
    } else if constexpr (is_tuple<V>::value) {
        return std::apply(
            [](const auto&... element) {
                std::string text;
                ((text += (text.empty() ? "" : ", ") + shown(element, {})), ...);
                return "(" + text + ")";
            },
            value);
    } else if constexpr (requires { value.get(); }) {
        return shown(value.get(), spec);
    } else {
        return "<value>";
    }
}

using Show = std::function<std::string(std::string_view)>;
std::string formatted(std::string_view text, const Show* arguments, std::size_t count);

}  // namespace detail

template <typename... T>
struct basic_format_string {
    template <typename S>
        requires std::is_convertible_v<const S&, std::string_view>
    constexpr basic_format_string(const S& text) : text(text) {}
    constexpr operator std::string_view() const { return text; }
    std::string_view text;
};
template <typename... T>
using format_string = basic_format_string<std::type_identity_t<T>...>;

inline std::string_view runtime(std::string_view text) { return text; }
template <typename T>
const void* ptr(const T* pointer) {
    return pointer;
}

template <typename... T>
std::string format(std::string_view text, const T&... arguments) {
    if constexpr (sizeof...(T) == 0) {
        return detail::formatted(text, nullptr, 0);
    } else {
        const detail::Show shows[] = {[&](std::string_view spec) { return detail::shown(arguments, spec); }...};
        return detail::formatted(text, shows, sizeof...(T));
    }
}

template <typename Out, typename... T>
Out format_to(Out out, std::string_view text, const T&... arguments) {
    for (const char letter : format(text, arguments...)) {
        *out++ = letter;
    }
    return out;
}

template <typename T>
std::string to_string(const T& value) {
    return detail::shown(value, {});
}

template <typename Range>
std::string join(const Range& range, std::string_view separator) {
    return detail::shown_range(range, separator);
}
template <typename Iterator>
std::string join(Iterator begin, Iterator end, std::string_view separator) {
    std::string text;
    for (; begin != end; ++begin) {
        text += (text.empty() ? std::string_view() : separator);
        text += detail::shown(*begin, {});
    }
    return text;
}

void print_text(std::string_view text);
template <typename... T>
void print(std::string_view text, const T&... arguments) {
    print_text(format(text, arguments...));
}
template <typename... T>
void println(std::string_view text, const T&... arguments) {
    print_text(format(text, arguments...) + "\n");
}

// What a formatter of texts does for those that derive from it.
template <>
struct formatter<std::string_view> {
    constexpr auto parse(format_parse_context& context) { return context.end(); }
    auto format(std::string_view text, format_context& context) const {
        context.text().append(text);
        return context.out();
    }
};

}  // namespace fmt
