// SPDX-License-Identifier: Apache-2.0
// Numbers in bfloat16 on the host.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "tw_host/types.hpp"

class bfloat16 {
public:
    bfloat16() = default;
    // Rounds to the nearest, ties to even.
    explicit bfloat16(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        bits_ = static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    }
    explicit bfloat16(std::uint16_t bits) : bits_(bits) {}
    explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits_} << 16); }
    float to_float() const { return static_cast<float>(*this); }
    std::uint16_t to_uint16() const { return bits_; }
    std::uint32_t to_packed() const { return bits_; }
    static bfloat16 truncate(float value) {
        return bfloat16(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    }
    friend bool operator==(const bfloat16&, const bfloat16&) = default;

private:
    std::uint16_t bits_ = 0;
};

inline std::uint32_t pack_two_bfloat16_into_uint32(const std::pair<bfloat16, bfloat16>& two) {
    return std::uint32_t{two.first.to_uint16()} | std::uint32_t{two.second.to_uint16()} << 16;
}

namespace tt::tt_metal {
template <typename T>
constexpr DataType convert_to_data_type() {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        return DataType::UINT8;
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
        return DataType::UINT16;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return DataType::INT32;
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
        return DataType::UINT32;
    } else if constexpr (std::is_same_v<T, float>) {
        return DataType::FLOAT32;
    } else {
        static_assert(std::is_same_v<T, ::bfloat16>, "no data type has elements of this type");
        return DataType::BFLOAT16;
    }
}
}  // namespace tt::tt_metal
