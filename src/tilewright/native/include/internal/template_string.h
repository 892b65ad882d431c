// SPDX-License-Identifier: Apache-2.0
// Text as a template argument: lookup<"name">().
#pragma once

#include <algorithm>
#include <cstddef>

namespace internal {

template <std::size_t Size>
struct TemplateString {
    char text[Size];

    constexpr TemplateString(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }

    template <std::size_t OtherSize>
    constexpr bool operator==(const TemplateString<OtherSize>& other) const {
        return std::equal(text, text + Size, other.text, other.text + OtherSize);
    }

    template <std::size_t OtherSize>
    constexpr bool operator==(const char (&literal)[OtherSize]) const {
        return *this == TemplateString<OtherSize>(literal);
    }
};

}  // namespace internal
