// SPDX-License-Identifier: Apache-2.0
// A set of enum values, one bit each.
#pragma once

#include <type_traits>

template <typename E>
class Flags {
public:
    static_assert(std::is_enum_v<E>, "Flags takes an enum");
    using Underlying = std::underlying_type_t<E>;

    constexpr Flags() noexcept = default;
    constexpr Flags(E flag) noexcept : bits_(Underlying(flag)) {}
    constexpr Flags(E one, E other) noexcept : bits_(Underlying(one) | Underlying(other)) {}
    constexpr explicit Flags(Underlying bits) noexcept : bits_(bits) {}

    constexpr Flags operator|(Flags other) const noexcept { return Flags(Underlying(bits_ | other.bits_)); }
    constexpr Flags operator|(E other) const noexcept { return *this | Flags(other); }
    constexpr Flags operator&(E other) const noexcept { return Flags(Underlying(bits_ & Underlying(other))); }
    constexpr bool test(E flag) const noexcept { return (*this & flag).bits_ == Underlying(flag); }
    constexpr void set(E flag, bool on = true) noexcept {
        bits_ = on ? Underlying(bits_ | Underlying(flag)) : Underlying(bits_ & ~Underlying(flag));
    }
    constexpr Underlying raw() const noexcept { return bits_; }

private:
    Underlying bits_ = 0;
};
