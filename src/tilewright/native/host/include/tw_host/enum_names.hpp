// SPDX-License-Identifier: Apache-2.0
// Names of enum values, read from how the compiler prints a function's template arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tw::host {

// The compiler's text with the names of the values 0 to 255 in it; those without a name are casts.
template <typename E, E... Values>
const char* printed_values() {
    return __PRETTY_FUNCTION__;
}
template <typename E, std::size_t... Index>
const char* printed_enum(std::index_sequence<Index...>) {
    return printed_values<E, static_cast<E>(Index)...>();
}

// The name of value `index` in such a text: `scoped` gives "Layout::TILE", else "TILE"; the number where it has none.
std::string name_in_printed(const char* printed, std::uint64_t index, bool scoped);

template <typename E>
constexpr std::size_t printed_count() {
    if constexpr (!std::is_convertible_v<E, std::underlying_type_t<E>> || sizeof(std::underlying_type_t<E>) == 1) {
        return sizeof(std::underlying_type_t<E>) == 1 && !std::is_signed_v<std::underlying_type_t<E>> ? 256 : 128;
    } else {
        return 1;  // an enum without a fixed type has few values that may be cast to it
    }
}

template <typename E>
std::string scoped_enum_name(E value) {
    const char* printed = printed_enum<E>(std::make_index_sequence<printed_count<E>()>());
    return name_in_printed(printed, static_cast<std::uint64_t>(value), true);
}

template <typename E>
std::string enum_name(E value) {
    const char* printed = printed_enum<E>(std::make_index_sequence<printed_count<E>()>());
    return name_in_printed(printed, static_cast<std::uint64_t>(value), false);
}

// The value of that name; false where no value has it.
template <typename E>
bool enum_from_name(std::string_view name, E& value) {
    for (std::size_t index = 0; index < printed_count<E>(); ++index) {
        if (enum_name(static_cast<E>(index)) == name) {
            value = static_cast<E>(index);
            return true;
        }
    }
    return false;
}

}  // namespace tw::host

namespace enchantum {
template <typename E>
std::string to_string(E value) {
    return tw::host::enum_name(value);
}
namespace scoped {
template <typename E>
std::string to_string(E value) {
    return tw::host::scoped_enum_name(value);
}
}  // namespace scoped
}  // namespace enchantum
