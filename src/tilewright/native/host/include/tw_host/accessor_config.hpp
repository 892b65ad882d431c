// SPDX-License-Identifier: Apache-2.0
// Which arguments of a tensor accessor kernels get at run time.
#pragma once

#include <cstdint>
#include <type_traits>

// Bits of an enumeration.
template <typename Enum>
class Flags {
public:
    using Bits = std::underlying_type_t<Enum>;
    constexpr Flags() = default;
    constexpr Flags(Enum bit) : bits_(static_cast<Bits>(bit)) {}
    constexpr Bits raw() const { return bits_; }
    constexpr bool test(Enum bit) const { return (bits_ & static_cast<Bits>(bit)) != 0; }
    friend constexpr Flags operator|(Flags a, Flags b) {
        a.bits_ |= b.bits_;
        return a;
    }

private:
    Bits bits_ = 0;
};

namespace tensor_accessor {
enum class ArgConfig : std::uint8_t {
    None = 0,
    Sharded = 1,
    IsDram = 2,
    RuntimeRank = 4,
    RuntimeNumBanks = 8,
    RuntimeTensorShape = 16,
    RuntimeShardShape = 32,
    RuntimeBankCoords = 64,
    RuntimePageSize = 128,
    Runtime = 252
};
using ArgsConfig = Flags<ArgConfig>;
inline ArgsConfig operator|(ArgConfig a, ArgConfig b) { return ArgsConfig(a) | ArgsConfig(b); }
}  // namespace tensor_accessor
