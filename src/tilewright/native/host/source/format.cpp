// SPDX-License-Identifier: Apache-2.0
#include "tw_host/format.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <vector>

namespace fmt {
namespace detail {
namespace {

// The parts of `[[fill]align][sign][#][0][width][.precision][type]`.
struct Spec {
    char fill = ' ', align = 0, sign = 0, type = 0;
    bool alternate = false;
    std::size_t width = 0;
    int precision = -1;
};

std::size_t number_in(std::string_view& text) {
    std::size_t number = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        number = number * 10 + (text.front() - '0');
        text.remove_prefix(1);
    }
    return number;
}

bool is_align(char letter) { return letter == '<' || letter == '>' || letter == '^'; }

Spec read_spec(std::string_view text) {
    Spec spec;
    if (text.size() > 1 && is_align(text[1])) {
        spec.fill = text[0];
        text.remove_prefix(1);
    }
    if (!text.empty() && is_align(text[0])) {
        spec.align = text[0];
        text.remove_prefix(1);
    }
    if (!text.empty() && (text[0] == '+' || text[0] == ' ' || text[0] == '-')) {
        spec.sign = text[0];
        text.remove_prefix(1);
    }
    if (!text.empty() && text[0] == '#') {
        spec.alternate = true;
        text.remove_prefix(1);
    }
    if (!text.empty() && text[0] == '0') {
        spec.fill = spec.align == 0 ? '0' : spec.fill;
        spec.align = spec.align == 0 ? '=' : spec.align;
    }
    spec.width = number_in(text);
    if (!text.empty() && text[0] == '.') {
        text.remove_prefix(1);
        spec.precision = static_cast<int>(number_in(text));
    }
    spec.type = text.empty() ? '\0' : text[0];
    return spec;
}

std::string pad(std::string text, const Spec& spec, char align, std::size_t prefix = 0) {
    if (text.size() >= spec.width) {
        return text;
    }
    const std::size_t missing = spec.width - text.size();
    if (align == '=') {
        return text.insert(prefix, missing, spec.fill);
    }
    const std::size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    return std::string(before, spec.fill) + text + std::string(missing - before, spec.fill);
}

}  // namespace

std::string padded(std::string text, std::string_view spec_text, bool is_number) {
    const Spec spec = read_spec(spec_text);
    return pad(std::move(text), spec, spec.align != 0 ? spec.align : is_number ? '>' : '<');
}

std::string shown_integer(std::uint64_t magnitude, bool negative, std::string_view spec_text) {
    const Spec spec = read_spec(spec_text);
    const bool hex = spec.type == 'x' || spec.type == 'X';
    const int base = hex ? 16 : spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : 10;
    char digits[72];
    const auto end = std::to_chars(digits, digits + sizeof digits, magnitude, base);
    std::string text(digits, end.ptr);
    if (spec.type == 'X') {
        std::transform(text.begin(), text.end(), text.begin(), ::toupper);
    }
    std::string prefix = negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
    if (spec.alternate) {
        prefix += hex ? "0x" : spec.type == 'b' ? "0b" : "";
    }
    return pad(prefix + text, spec, spec.align != 0 ? spec.align : '>', prefix.size());
}

std::string shown_float(double value, std::string_view spec_text) {
    const Spec spec = read_spec(spec_text);
    char buffer[400];
    std::string text;
    if (spec.precision < 0 && spec.type == 0) {
        // The shortest text that is this number; floats come as doubles that a float can hold.
        const float narrow = static_cast<float>(value);
        const auto end = narrow == value ? std::to_chars(buffer, buffer + sizeof buffer, narrow)
                                         : std::to_chars(buffer, buffer + sizeof buffer, value);
        text.assign(buffer, end.ptr);
    } else {
        const char type = spec.type == 0 ? 'g' : spec.type;
        const char form[] = {'%', '.', '*', type, 0};
        std::snprintf(buffer, sizeof buffer, form, spec.precision < 0 ? 6 : spec.precision, value);
        text = buffer;
    }
    if (spec.sign == '+' && text[0] != '-') {
        text.insert(0, 1, '+');
    }
    return pad(text, spec, spec.align != 0 ? spec.align : '>', text[0] == '-' || text[0] == '+' ? 1 : 0);
}

std::string formatted(std::string_view text, const Show* arguments, std::size_t count) {
    std::string result;
    std::size_t next = 0;
    while (!text.empty()) {
        const std::size_t brace = text.find_first_of("{}");
        result += text.substr(0, brace);
        if (brace == std::string_view::npos) {
            break;
        }
        const char letter = text[brace];
        text.remove_prefix(brace + 1);
        if (!text.empty() && text.front() == letter) {
            result += letter;
            text.remove_prefix(1);
            continue;
        }
        const std::size_t close = text.find('}');
        if (letter == '}' || close == std::string_view::npos) {
            result += letter;
            continue;
        }
        std::string_view field = text.substr(0, close);
        text.remove_prefix(close + 1);
        const bool numbered = !field.empty() && field.front() >= '0' && field.front() <= '9';
        const std::size_t index = numbered ? number_in(field) : next++;
        if (!field.empty() && field.front() == ':') {
            field.remove_prefix(1);
        }
        result += index < count ? arguments[index](field) : "{missing argument}";
    }
    return result;
}

}  // namespace detail

void print_text(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace fmt

namespace tw::host {

std::string name_in_printed(const char* printed, std::uint64_t index, bool scoped) {
    // "... [with E = T; E ...Values = {T::A, T::B, (T)2}]" (g++) or "... [E = T, Values = <T::A, (T)2>]" (clang).
    std::string_view text = printed;
    const std::size_t values = text.rfind("Values = ");
    const std::size_t begin = text.find_first_of("{<", values);
    const std::size_t end = text.find_last_of("}>");
    if (values == std::string_view::npos || begin == std::string_view::npos || end <= begin) {
        return std::to_string(index);
    }
    text = text.substr(begin + 1, end - begin - 1);
    for (std::uint64_t skipped = 0; skipped < index; ++skipped) {
        const std::size_t comma = text.find(", ");
        if (comma == std::string_view::npos) {
            return std::to_string(index);
        }
        text.remove_prefix(comma + 2);
    }
    text = text.substr(0, text.find(", "));
    if (text.empty() || text.front() == '(' || (text.front() >= '0' && text.front() <= '9')) {
        return std::to_string(index);
    }
    const std::size_t last = text.rfind("::");
    if (last == std::string_view::npos || !scoped) {
        return std::string(last == std::string_view::npos ? text : text.substr(last + 2));
    }
    const std::size_t before = text.rfind("::", last - 1);
    return std::string(before == std::string_view::npos ? text : text.substr(before + 2));
}

}  // namespace tw::host
