// SPDX-License-Identifier: Apache-2.0
// sfpi's vector types. A float sum with a product is one fused instruction on a card, so a product keeps its factors.
#pragma once

#include "tw/sfpi/lanes.h"

namespace sfpi {

class vInt;
class vUInt;

class vFloat : public Lanes {
public:
    vFloat() = default;
    vFloat(float value) : Lanes(std::bit_cast<std::uint32_t>(value)) {}
    explicit vFloat(const Lanes& lanes) : Lanes(lanes) {}
    vFloat(const vFloat&) = default;
    vFloat& operator=(const vFloat& other) {
        take(other);
        return *this;
    }
    inline vFloat& operator+=(const vFloat& other);
    inline vFloat& operator-=(const vFloat& other);
    inline vFloat& operator*=(const vFloat& other);
};

inline vFloat multiply_add(const vFloat& a, const vFloat& b, const vFloat& c) {
    vFloat result;
    tw_vector_multiply_add(result.word, a.word, b.word, c.word);
    return result;
}
inline vFloat negated(const vFloat& a) {
    return map_lanes<vFloat>(a, [](std::uint32_t word) { return word ^ 0x80000000u; });
}

struct Product : vFloat {
    vFloat a, b;
    Product(const vFloat& first, const vFloat& second) :
        vFloat(multiply_add(first, second, 0.0f)), a(first), b(second) {}
};

inline vFloat operator-(const vFloat& a) { return negated(a); }
inline Product operator*(const vFloat& a, const vFloat& b) { return {a, b}; }
inline vFloat operator+(const vFloat& a, const vFloat& b) { return multiply_add(a, 1.0f, b); }
inline vFloat operator-(const vFloat& a, const vFloat& b) { return multiply_add(a, 1.0f, negated(b)); }
inline vFloat operator+(const Product& product, const vFloat& c) { return multiply_add(product.a, product.b, c); }
inline vFloat operator+(const vFloat& c, const Product& product) { return multiply_add(product.a, product.b, c); }
inline vFloat operator-(const Product& product, const vFloat& c) {
    return multiply_add(product.a, product.b, negated(c));
}
inline vFloat operator-(const vFloat& c, const Product& product) {
    return multiply_add(negated(product.a), product.b, c);
}
inline vFloat operator+(const Product& first, const Product& second) {
    return multiply_add(first.a, first.b, static_cast<const vFloat&>(second));
}
inline vFloat operator-(const Product& first, const Product& second) {
    return multiply_add(first.a, first.b, negated(second));
}
inline vFloat& vFloat::operator+=(const vFloat& other) { return *this = *this + other; }
inline vFloat& vFloat::operator-=(const vFloat& other) { return *this = *this - other; }
inline vFloat& vFloat::operator*=(const vFloat& other) { return *this = static_cast<const vFloat&>(*this * other); }

#define TW_SFPI_COMPARE(op) \
    inline vBool operator op(const vFloat& a, const vFloat& b) { \
        return test_lanes(a, b, [](std::uint32_t x, std::uint32_t y) { \
            return std::bit_cast<float>(x) op std::bit_cast<float>(y); \
        }); \
    }
TW_SFPI_COMPARE(<)
TW_SFPI_COMPARE(<=)
TW_SFPI_COMPARE(>)
TW_SFPI_COMPARE(>=)
TW_SFPI_COMPARE(==)
TW_SFPI_COMPARE(!=)
#undef TW_SFPI_COMPARE

// Integers: two's complement, without a sign, or a sign and a magnitude. They differ in shifts to the right, in
// comparisons and in what they convert to.
#define TW_SFPI_INTEGER(Type, Element) \
    class Type : public Lanes { \
    public: \
        using element = Element; \
        Type() = default; \
        Type(int value) : Lanes(static_cast<std::uint32_t>(value)) {} \
        Type(unsigned value) : Lanes(value) {} \
        Type(long value) : Lanes(static_cast<std::uint32_t>(value)) {} \
        Type(unsigned long value) : Lanes(static_cast<std::uint32_t>(value)) {} \
        explicit Type(const Lanes& lanes) : Lanes(lanes) {} \
        Type(const Type&) = default; \
        Type& operator=(const Type& other) { \
            take(other); \
            return *this; \
        } \
        Type& operator+=(const Type& other) { return *this = *this + other; } \
        Type& operator-=(const Type& other) { return *this = *this - other; } \
        Type& operator&=(const Type& other) { return *this = *this & other; } \
        Type& operator|=(const Type& other) { return *this = *this | other; } \
        Type& operator^=(const Type& other) { return *this = *this ^ other; } \
        Type& operator<<=(std::uint32_t distance) { return *this = *this << distance; } \
        Type& operator>>=(std::uint32_t distance) { return *this = *this >> distance; } \
        TW_SFPI_INTEGER_BINARY(Type, +) \
        TW_SFPI_INTEGER_BINARY(Type, -) \
        TW_SFPI_INTEGER_BINARY(Type, &) \
        TW_SFPI_INTEGER_BINARY(Type, |) \
        TW_SFPI_INTEGER_BINARY(Type, ^) \
        friend Type operator~(const Type& a) { \
            return map_lanes<Type>(a, [](std::uint32_t x) { return ~x; }); \
        } \
        friend Type operator-(const Type& a) { \
            return map_lanes<Type>(a, [](std::uint32_t x) { return 0u - x; }); \
        } \
        friend Type operator<<(const Type& a, std::uint32_t distance) { \
            return map_lanes<Type>(a, [=](std::uint32_t x) { return distance < 32 ? x << distance : 0; }); \
        } \
        friend Type operator>>(const Type& a, std::uint32_t distance) { \
            return map_lanes<Type>(a, [=](std::uint32_t x) { \
                return distance < 32 ? static_cast<std::uint32_t>(static_cast<Element>(x) >> distance) : 0; \
            }); \
        } \
        TW_SFPI_INTEGER_COMPARE(Type, Element, <) \
        TW_SFPI_INTEGER_COMPARE(Type, Element, <=) \
        TW_SFPI_INTEGER_COMPARE(Type, Element, >) \
        TW_SFPI_INTEGER_COMPARE(Type, Element, >=) \
        TW_SFPI_INTEGER_COMPARE(Type, Element, ==) \
        TW_SFPI_INTEGER_COMPARE(Type, Element, !=) \
    }
#define TW_SFPI_INTEGER_BINARY(Type, op) \
    friend Type operator op(const Type& a, const Type& b) { \
        return map_lanes<Type>(a, b, [](std::uint32_t x, std::uint32_t y) { return x op y; }); \
    }
#define TW_SFPI_INTEGER_COMPARE(Type, Element, op) \
    friend vBool operator op(const Type& a, const Type& b) { \
        return test_lanes(a, b, [](std::uint32_t x, std::uint32_t y) { \
            return static_cast<Element>(x) op static_cast<Element>(y); \
        }); \
    }
TW_SFPI_INTEGER(UnsignedLanes, std::uint32_t);
TW_SFPI_INTEGER(SignedLanes, std::int32_t);
#undef TW_SFPI_INTEGER
#undef TW_SFPI_INTEGER_BINARY
#undef TW_SFPI_INTEGER_COMPARE

// The integer types convert to each other implicitly, bit by bit.
#define TW_SFPI_ALIAS(Type, Base) \
    class Type : public Base { \
    public: \
        using Base::Base; \
        Type() = default; \
        Type(const SignedLanes& lanes) : Base(static_cast<const Lanes&>(lanes)) {} \
        Type(const UnsignedLanes& lanes) : Base(static_cast<const Lanes&>(lanes)) {} \
        Type(const Type&) = default; \
        Type& operator=(const Type& other) { \
            take(other); \
            return *this; \
        } \
    }
TW_SFPI_ALIAS(vInt, SignedLanes);
TW_SFPI_ALIAS(vUInt, UnsignedLanes);
TW_SFPI_ALIAS(vMag, UnsignedLanes);
TW_SFPI_ALIAS(vSMag, SignedLanes);
TW_SFPI_ALIAS(vSMag16, SignedLanes);
TW_SFPI_ALIAS(vSMag8, SignedLanes);
TW_SFPI_ALIAS(vUInt16, UnsignedLanes);
TW_SFPI_ALIAS(vUInt8, UnsignedLanes);
#undef TW_SFPI_ALIAS

// Only names for conversions.
struct vFloat16a {};
struct vFloat16b {};

// A float given as the bits of a narrower one.
struct sFloat16b {
    std::uint32_t bits;
    constexpr sFloat16b(float value) : bits(std::bit_cast<std::uint32_t>(value) & 0xffff0000u) {}
    constexpr sFloat16b(std::uint32_t half) : bits(half << 16) {}
    constexpr sFloat16b(int half) : bits(static_cast<std::uint32_t>(half) << 16) {}
    operator vFloat() const { return vFloat(std::bit_cast<float>(bits)); }
};
using s2vFloat16b = sFloat16b;

// Registers with constants. Some can be set by the program.
template <std::uint32_t index, typename Vector>
struct ConstantRegister {
    operator Vector() const { return Vector(lanes()); }
    const ConstantRegister& operator=(const Vector& value) const {
        std::memcpy(tw_vector_register(index), value.word, sizeof value.word);
        return *this;
    }
    static Lanes lanes() {
        Lanes result;
        std::memcpy(result.word, tw_vector_register(index), sizeof result.word);
        return result;
    }
};
inline constexpr ConstantRegister<8, vFloat> vConst0p8373{};
inline constexpr ConstantRegister<9, vFloat> vConst0{};
inline constexpr ConstantRegister<10, vFloat> vConst1{};
inline constexpr ConstantRegister<11, vFloat> vConstNeg1{};
inline constexpr ConstantRegister<12, vFloat> vConstFloatPrgm0{};
inline constexpr ConstantRegister<13, vFloat> vConstFloatPrgm1{};
inline constexpr ConstantRegister<14, vFloat> vConstFloatPrgm2{};
inline constexpr ConstantRegister<12, vInt> vConstIntPrgm0{};
inline constexpr ConstantRegister<13, vInt> vConstIntPrgm1{};
inline constexpr ConstantRegister<14, vInt> vConstIntPrgm2{};
inline constexpr ConstantRegister<15, vInt> vConstTileId{};
template <std::uint32_t index, typename Vector>
Product operator*(const ConstantRegister<index, Vector>& a, const vFloat& b) {
    return vFloat(a.lanes()) * b;
}
template <std::uint32_t index, typename Vector>
vFloat operator+(const ConstantRegister<index, Vector>& a, const vFloat& b) {
    return vFloat(a.lanes()) + b;
}
template <std::uint32_t index, typename Vector>
vFloat operator-(const ConstantRegister<index, Vector>& a, const vFloat& b) {
    return vFloat(a.lanes()) - b;
}

}  // namespace sfpi
