// SPDX-License-Identifier: Apache-2.0
// DPRINT in both spellings: DPRINT("{}\n", x), and DPRINT << x << ENDL() of older kernels.
#pragma once

#include <cstdint>

#include "api/debug/device_print.h"

struct BF16 {
    uint16_t bits;
    explicit BF16(uint16_t value) : bits(value) {}
};
struct F32 {
    float value;
    explicit F32(float v) : value(v) {}
};
struct U32 {
    uint32_t value;
    explicit U32(uint32_t v) : value(v) {}
};
struct ENDL {};
struct FIXED {};
struct DEFAULTFLOAT {};
struct HEX {};
struct OCT {};
struct DEC {};
struct SETW {
    uint8_t width;
    explicit SETW(char w) : width(uint8_t(w)) {}
    SETW(char w, bool) : width(uint8_t(w)) {}
};
struct SETPRECISION {
    uint8_t digits;
    explicit SETPRECISION(char d) : digits(uint8_t(d)) {}
};

namespace tw {

// What one chain of << has been told so far.
struct PrintChain {
    char radix = 'd';
    uint8_t width = 0;
    uint8_t precision = 0;
    bool fixed = false;
};

inline PrintChain operator<<(PrintChain chain, ENDL) {
    print("\n");
    return chain;
}
inline PrintChain operator<<(PrintChain chain, HEX) {
    chain.radix = 'x';
    return chain;
}
inline PrintChain operator<<(PrintChain chain, OCT) {
    chain.radix = 'o';
    return chain;
}
inline PrintChain operator<<(PrintChain chain, DEC) {
    chain.radix = 'd';
    return chain;
}
inline PrintChain operator<<(PrintChain chain, FIXED) {
    chain.fixed = true;
    return chain;
}
inline PrintChain operator<<(PrintChain chain, DEFAULTFLOAT) {
    chain.fixed = false;
    return chain;
}
inline PrintChain operator<<(PrintChain chain, SETW width) {
    chain.width = width.width;
    return chain;
}
inline PrintChain operator<<(PrintChain chain, SETPRECISION precision) {
    chain.precision = precision.digits;
    return chain;
}
inline PrintChain operator<<(PrintChain chain, const PrintValue& value) {
    char spec[16];
    int length = chain.width ? std::snprintf(spec, sizeof spec, "%u", chain.width) : 0;
    if (value.kind == PrintValue::Kind::Real) {
        if (chain.precision) {
            length += std::snprintf(spec + length, sizeof spec - length, ".%u", chain.precision);
        }
        spec[length++] = chain.fixed ? 'f' : 'g';
    } else {
        spec[length++] = chain.radix;
    }
    print_value(value, spec, uint32_t(length));
    return chain;
}
template <typename T>
inline PrintChain operator<<(PrintChain chain, const T& value) {
    if constexpr (std::is_same_v<T, BF16>) {
        return chain << PrintValue(from_bfloat16(value.bits));
    } else if constexpr (std::is_same_v<T, F32> || std::is_same_v<T, U32>) {
        return chain << PrintValue(value.value);
    } else {
        return chain << PrintValue(value);
    }
}

struct DevicePrint {
    template <typename... Values>
    void operator()(const char* format, const Values&... values) const {
        device_print(format, values...);
    }
};
template <typename T>
inline PrintChain operator<<(const DevicePrint&, const T& value) {
    return PrintChain() << value;
}

// DPRINT_MATH("{}\n", x) prints; DPRINT_MATH(DPRINT << x) has printed already.
inline void print_statement(const PrintChain&) {}
template <typename... Values>
inline void print_statement(const char* format, const Values&... values) {
    device_print(format, values...);
}

}  // namespace tw

inline constexpr tw::DevicePrint DPRINT{};

#if defined(COMPILE_FOR_TRISC)
#define DPRINT_UNPACK(...) UNPACK((tw::print_statement(__VA_ARGS__)))
#define DPRINT_MATH(...) MATH((tw::print_statement(__VA_ARGS__)))
#define DPRINT_PACK(...) PACK((tw::print_statement(__VA_ARGS__)))
#define DPRINT_DATA0(...)
#define DPRINT_DATA1(...)
#else
#define DPRINT_UNPACK(...)
#define DPRINT_MATH(...)
#define DPRINT_PACK(...)
#if defined(COMPILE_FOR_BRISC)
#define DPRINT_DATA0(...) tw::print_statement(__VA_ARGS__)
#define DPRINT_DATA1(...)
#else
#define DPRINT_DATA0(...)
#define DPRINT_DATA1(...) tw::print_statement(__VA_ARGS__)
#endif
#endif

#include "api/debug/dprint_tile.h"
