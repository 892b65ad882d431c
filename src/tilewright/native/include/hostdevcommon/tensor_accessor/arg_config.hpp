// SPDX-License-Identifier: Apache-2.0
// First word of a tensor accessor's compile-time arguments: which of its parts follow as
// compile-time arguments and which as common runtime arguments.
#pragma once

#include <cstdint>

#include "hostdevcommon/flags.hpp"

namespace tensor_accessor {

enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1 << 0,
    IsDram = 1 << 1,
    RuntimeRank = 1 << 2,
    RuntimeNumBanks = 1 << 3,
    RuntimeTensorShape = 1 << 4,
    RuntimeShardShape = 1 << 5,
    RuntimeBankCoords = 1 << 6,
    RuntimePageSize = 1 << 7,
    Runtime = 0xfc,
};

using ArgsConfig = Flags<ArgConfig>;
constexpr ArgsConfig operator|(ArgConfig a, ArgConfig b) noexcept { return ArgsConfig(a, b); }
constexpr ArgsConfig operator|(ArgConfig a, ArgsConfig b) noexcept { return b | a; }

// The bank count's top bit says that a bank's shards lie in one run of consecutive shards.
inline constexpr uint32_t ShardContiguousBit = 1u << 31;
constexpr uint32_t pack_num_banks(uint32_t num_banks, bool is_shard_contiguous) {
    return is_shard_contiguous ? num_banks | ShardContiguousBit : num_banks;
}
constexpr uint32_t unpack_num_banks(uint32_t packed) { return packed & ~ShardContiguousBit; }
constexpr bool unpack_is_shard_contiguous(uint32_t packed) { return packed >> 31; }

}  // namespace tensor_accessor
