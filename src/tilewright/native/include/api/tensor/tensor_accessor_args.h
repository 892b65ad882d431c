// SPDX-License-Identifier: Apache-2.0
// TensorAccessorArgs: where a tensor's layout lies among a kernel's arguments.
//
// Compile-time words from CTA_OFFSET: config, page size, and for sharded tensors rank, number of banks, tensor shape,
// shard shape (in pages), bank coordinates (two to a word). A part the config calls "runtime" is left out there and
// stands in the same order among the common runtime arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "hostdevcommon/tensor_accessor/arg_config.hpp"
#include "internal/tensor/const.h"
#include "tw/arguments.h"

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
private:
    using Config = tensor_accessor::ArgConfig;

    template <bool present, uint32_t index>
    static constexpr uint32_t word_if() {
        if constexpr (present) {
            return get_ct_arg<index>();
        } else {
            return 0;
        }
    }

public:
    static constexpr auto args_config =
        tensor_accessor::ArgsConfig(tensor_accessor::ArgsConfig::Underlying(get_ct_arg<CTA_OFFSET>()));
    static constexpr bool is_sharded = args_config.test(Config::Sharded);
    static constexpr bool is_dram = args_config.test(Config::IsDram);
    static constexpr bool rank_is_crta = args_config.test(Config::RuntimeRank);
    static constexpr bool num_banks_is_crta = args_config.test(Config::RuntimeNumBanks);
    static constexpr bool tensor_shape_is_crta = args_config.test(Config::RuntimeTensorShape);
    static constexpr bool shard_shape_is_crta = args_config.test(Config::RuntimeShardShape);
    static constexpr bool bank_coords_is_crta = args_config.test(Config::RuntimeBankCoords);
    static constexpr bool page_size_is_crta = args_config.test(Config::RuntimePageSize);
    static_assert(
        !is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
        "a tensor of runtime rank has runtime shapes");
    static_assert(
        !is_sharded || !num_banks_is_crta || bank_coords_is_crta,
        "a runtime number of banks goes with runtime bank coordinates");
    static_assert(!is_sharded || !page_size_is_crta, "a sharded tensor has its page size at compile time");

    static constexpr uint32_t AlignedPageSizeCTAOffset = CTA_OFFSET + 1;
    static constexpr uint32_t AlignedPageSize = word_if<!page_size_is_crta, AlignedPageSizeCTAOffset>();
    static constexpr uint32_t RankCTAOffset = AlignedPageSizeCTAOffset + !page_size_is_crta;
    static constexpr uint32_t RankCT = word_if<is_sharded && !rank_is_crta, RankCTAOffset>();
    static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + !rank_is_crta;
    static constexpr uint32_t NumBanksRawCT = word_if<is_sharded && !num_banks_is_crta, NumBanksCTAOffset>();
    static constexpr uint32_t NumBanksCT = tensor_accessor::unpack_num_banks(NumBanksRawCT);
    static constexpr bool is_shard_contiguous = tensor_accessor::unpack_is_shard_contiguous(NumBanksRawCT);
    static constexpr uint32_t PhysicalNumBanksCT = (NumBanksCT + 1) / 2;
    static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + !num_banks_is_crta;
    static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t NumArgsCT =
        is_sharded ? BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : PhysicalNumBanksCT) - CTA_OFFSET
                   : 1 + !page_size_is_crta;
    static_assert(!is_sharded || rank_is_crta || RankCT > 0, "a sharded tensor has at least one dimension");
    static_assert(!is_sharded || num_banks_is_crta || NumBanksCT > 0, "a sharded tensor has at least one bank");

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_(crta_offset) {
        static_assert(CRTA_OFFSET == tensor_accessor::UNKNOWN, "the offset is already a template argument");
    }

    constexpr uint32_t crta_offset() const {
        return CRTA_OFFSET != tensor_accessor::UNKNOWN ? uint32_t(CRTA_OFFSET) : crta_offset_;
    }
    constexpr uint32_t rank_crta_offset() const { return crta_offset(); }
    constexpr uint32_t num_banks_crta_offset() const { return rank_crta_offset() + rank_is_crta; }
    constexpr uint32_t tensor_shape_crta_offset() const { return num_banks_crta_offset() + num_banks_is_crta; }
    constexpr uint32_t shard_shape_crta_offset() const {
        return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
    }
    constexpr uint32_t bank_coords_crta_offset() const {
        return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
    }

    constexpr uint32_t get_aligned_page_size() const {
        return page_size_is_crta ? get_common_arg_val<uint32_t>(crta_offset()) : AlignedPageSize;
    }
    constexpr uint32_t get_rank() const {
        return rank_is_crta ? get_common_arg_val<uint32_t>(rank_crta_offset()) : RankCT;
    }
    constexpr uint32_t get_num_banks() const { return tensor_accessor::unpack_num_banks(packed_num_banks()); }
    constexpr bool resolve_shard_contiguous() const {
        return tensor_accessor::unpack_is_shard_contiguous(packed_num_banks());
    }
    constexpr uint32_t get_physical_num_banks() const { return (get_num_banks() + 1) / 2; }

    static constexpr uint32_t num_compile_time_args() { return NumArgsCT; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + NumArgsCT; }
    constexpr uint32_t num_common_runtime_args() const {
        if constexpr (!is_sharded) {
            return page_size_is_crta;
        } else {
            return bank_coords_crta_offset() + (bank_coords_is_crta ? get_physical_num_banks() : 0) - crta_offset();
        }
    }
    constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

private:
    constexpr uint32_t packed_num_banks() const {
        return num_banks_is_crta ? get_common_arg_val<uint32_t>(num_banks_crta_offset()) : NumBanksRawCT;
    }

    uint32_t crta_offset_ = 0;
};

namespace tensor_accessor::detail {

// Where the arguments of the TENSOR_IDX-th of several tensors in a row start.
template <uint32_t TENSOR_IDX, uint32_t CTA_OFFSET>
constexpr uint32_t get_tensor_accessor_args_cta_offset() {
    if constexpr (TENSOR_IDX == 0) {
        return CTA_OFFSET;
    } else {
        constexpr uint32_t previous = get_tensor_accessor_args_cta_offset<TENSOR_IDX - 1, CTA_OFFSET>();
        return TensorAccessorArgs<previous>::next_compile_time_args_offset();
    }
}

template <uint32_t CTA_OFFSET, uint32_t... Indices>
constexpr auto args_in_a_row(std::integer_sequence<uint32_t, Indices...>) {
    return std::make_tuple(TensorAccessorArgs<get_tensor_accessor_args_cta_offset<Indices, CTA_OFFSET>()>()...);
}

}  // namespace tensor_accessor::detail

template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    return tensor_accessor::detail::args_in_a_row<CTA_OFFSET>(std::make_integer_sequence<uint32_t, NUM_TENSORS>());
}
