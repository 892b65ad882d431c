// SPDX-License-Identifier: Apache-2.0
// DEVICE_PRINT("tile {} of {:#x}\n", i, n): text with the arguments in place of braces.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "../../../abi/debug.h"

struct bf16_t {
    uint16_t bits;
    explicit bf16_t(uint16_t value) : bits(value) {}
};

namespace tw {

inline float from_bfloat16(uint16_t bits) {
    uint32_t word = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

struct PrintValue {
    enum class Kind : uint8_t { Signed, Unsigned, Real, Character, Text, Pointer, Shown } kind;
    union {
        int64_t as_signed;
        uint64_t as_unsigned;
        double as_real;
        const char* as_text;
        const void* as_shown;
    };
    void (*show)(const void*) = nullptr;  // of something that prints itself

    template <typename T>
    PrintValue(const T& value) {
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, uint8_t>) {
            set(uint64_t(value));
        } else if constexpr (std::is_same_v<T, char>) {
            kind = Kind::Character;
            as_signed = value;
        } else if constexpr (std::is_enum_v<T>) {
            *this = PrintValue(static_cast<std::underlying_type_t<T>>(value));
        } else if constexpr (std::is_floating_point_v<T>) {
            kind = Kind::Real;
            as_real = value;
        } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
            kind = Kind::Signed;
            as_signed = value;
        } else if constexpr (std::is_integral_v<T>) {
            set(uint64_t(value));
        } else if constexpr (std::is_same_v<T, bf16_t>) {
            kind = Kind::Real;
            as_real = from_bfloat16(value.bits);
        } else if constexpr (requires { value.show(); }) {
            kind = Kind::Shown;
            as_shown = &value;
            show = [](const void* shown) { static_cast<const T*>(shown)->show(); };
        } else if constexpr (std::is_convertible_v<T, const char*>) {
            kind = Kind::Text;
            as_text = value;
        } else if constexpr (std::is_pointer_v<T>) {
            kind = Kind::Pointer;
            as_unsigned = uint64_t(uintptr_t(value));
        } else {
            set(uint64_t(uint32_t(value)));
        }
    }

private:
    void set(uint64_t value) {
        kind = Kind::Unsigned;
        as_unsigned = value;
    }
};

inline void print(const char* text) { tw_print_text(text, uint32_t(std::strlen(text))); }

// One value; `spec` is what stood after the colon: [#][0][width][.precision][letter].
inline void print_value(const PrintValue& value, const char* spec, uint32_t spec_length) {
    char flags[24] = "%";
    uint32_t used = 1;
    char letter = 0;
    for (uint32_t i = 0; i < spec_length && used < 16; ++i) {
        char c = spec[i];
        if ((c >= '0' && c <= '9') || c == '.' || c == '#' || c == '+' || c == '-') {
            flags[used++] = c;
        } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            letter = c;
        }
    }
    char text[128];
    auto format = [&](const char* length, char conversion, auto argument) {
        std::snprintf(flags + used, sizeof flags - used, "%s%c", length, conversion);
        std::snprintf(text, sizeof text, flags, argument);
    };
    switch (value.kind) {
        case PrintValue::Kind::Text: print(value.as_text); return;
        case PrintValue::Kind::Shown: value.show(value.as_shown); return;
        case PrintValue::Kind::Character: format("", 'c', int(value.as_signed)); break;
        case PrintValue::Kind::Real: format("", letter ? letter : 'g', value.as_real); break;
        case PrintValue::Kind::Pointer: format("ll", 'x', (unsigned long long)value.as_unsigned); break;
        case PrintValue::Kind::Signed: format("ll", letter ? letter : 'd', (long long)value.as_signed); break;
        case PrintValue::Kind::Unsigned:
            format("ll", letter && letter != 'd' ? letter : 'u', (unsigned long long)value.as_unsigned);
            break;
    }
    print(text);
}

inline void print_values(const char* format, const PrintValue* values, uint32_t count) {
    uint32_t next = 0;
    const char* start = format;
    const char* at = format;
    while (*at) {
        bool doubled = (*at == '{' || *at == '}') && at[1] == *at;
        if (doubled) {
            tw_print_text(start, uint32_t(at + 1 - start));
            start = at += 2;
        } else if (*at == '{') {
            tw_print_text(start, uint32_t(at - start));
            const char* close = std::strchr(at, '}');
            if (!close) {
                print(at);
                return;
            }
            const char* spec = at + 1;
            uint32_t index = next;
            if (*spec >= '0' && *spec <= '9') {
                index = 0;
                while (*spec >= '0' && *spec <= '9') {
                    index = index * 10 + uint32_t(*spec++ - '0');
                }
            } else {
                ++next;
            }
            if (index < count) {
                print_value(values[index], spec, uint32_t(close - spec));
            }
            start = at = close + 1;
        } else {
            ++at;
        }
    }
    tw_print_text(start, uint32_t(at - start));
}

template <typename... Values>
inline void device_print(const char* format, const Values&... values) {
    const PrintValue list[sizeof...(Values) + 1] = {PrintValue(values)..., PrintValue(0)};
    print_values(format, list, sizeof...(Values));
}

}  // namespace tw

#define DEVICE_PRINT(...) tw::device_print(__VA_ARGS__)
#if defined(COMPILE_FOR_TRISC)
#define DEVICE_PRINT_UNPACK(...) tw::device_print(__VA_ARGS__)
#define DEVICE_PRINT_MATH(...) tw::device_print(__VA_ARGS__)
#define DEVICE_PRINT_PACK(...) tw::device_print(__VA_ARGS__)
#else
#define DEVICE_PRINT_UNPACK(...)
#define DEVICE_PRINT_MATH(...)
#define DEVICE_PRINT_PACK(...)
#endif
#if defined(COMPILE_FOR_BRISC)
#define DEVICE_PRINT_DATA0(...) tw::device_print(__VA_ARGS__)
#define DEVICE_PRINT_DATA1(...)
#else
#define DEVICE_PRINT_DATA0(...)
#define DEVICE_PRINT_DATA1(...) tw::device_print(__VA_ARGS__)
#endif
#define DEVICE_PRINT_INITIALIZE_LOCK()
#define DEVICE_PRINT_KERNEL_FINISHED()
