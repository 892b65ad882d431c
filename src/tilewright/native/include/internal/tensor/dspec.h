// SPDX-License-Identifier: Apache-2.0
// DistributionSpec: how a tensor's pages are spread over banks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "api/tensor/tensor_accessor_args.h"
#include "internal/tensor/const.h"

namespace tensor_accessor {

template <typename T, T... Elements>
struct ArrayStaticWrapper {
    static constexpr bool is_static = true;
    static constexpr uint32_t size = sizeof...(Elements);
    static constexpr std::array<T, size> elements = {Elements...};
};
template <uint32_t... Elements>
using ArrayStaticWrapperU32 = ArrayStaticWrapper<uint32_t, Elements...>;
template <uint16_t... Elements>
using ArrayStaticWrapperU16 = ArrayStaticWrapper<uint16_t, Elements...>;

struct ArrayDynamicWrapper {
    static constexpr bool is_static = false;
};

namespace detail {

template <uint32_t First, size_t... Is>
ArrayStaticWrapperU32<get_ct_arg<First + Is>()...> words_from(std::index_sequence<Is...>);

// Bank coordinates: 16 bits each, the lower half of a word first.
template <uint32_t First, size_t... Is>
ArrayStaticWrapperU16<uint16_t(get_ct_arg<First + Is / 2>() >> (Is % 2 * 16))...> halves_from(
    std::index_sequence<Is...>);

template <bool Static, uint32_t First, uint32_t Count>
auto words_or_dynamic() {
    if constexpr (Static) {
        return std::type_identity<decltype(words_from<First>(std::make_index_sequence<Count>()))>();
    } else {
        return std::type_identity<ArrayDynamicWrapper>();
    }
}
template <bool Static, uint32_t First, uint32_t Count>
auto halves_or_dynamic() {
    if constexpr (Static) {
        return std::type_identity<decltype(halves_from<First>(std::make_index_sequence<Count>()))>();
    } else {
        return std::type_identity<ArrayDynamicWrapper>();
    }
}

// A short list of numbers kept in place; its length may be known at run time only.
template <typename T, uint32_t Capacity>
class ShortList {
public:
    constexpr ShortList() = default;
    template <typename Values>
    constexpr ShortList(const Values& values, uint32_t count) : count_(count) {
        for (uint32_t i = 0; i < count; ++i) {
            values_[i] = values[i];
        }
    }
    constexpr uint32_t size() const { return count_; }
    constexpr T& operator[](uint32_t i) { return values_[i]; }
    constexpr const T& operator[](uint32_t i) const { return values_[i]; }
    constexpr const T* begin() const { return values_; }
    constexpr const T* end() const { return values_ + count_; }
    constexpr const T* data() const { return values_; }

private:
    T values_[Capacity ? Capacity : 1] = {};
    uint32_t count_ = 0;
};

}  // namespace detail

template <
    uint32_t RankCT = 0,
    uint32_t NumBanksCT = 0,
    typename TensorShapeWrapper = ArrayDynamicWrapper,
    typename ShardShapeWrapper = ArrayDynamicWrapper,
    typename BankCoordsWrapper = ArrayDynamicWrapper,
    bool IsInterleaved = false,
    bool IsDram = false,
    bool IsShardContiguous = false,
    uint32_t BindingId = NO_BINDING_ID>
class DistributionSpec {
public:
    static constexpr uint32_t binding_id = BindingId;
    static constexpr bool has_static_rank = RankCT != 0;
    static constexpr bool has_static_num_banks = NumBanksCT != 0;
    static constexpr bool tensor_shape_static = has_static_rank && TensorShapeWrapper::is_static;
    static constexpr bool shard_shape_static = has_static_rank && ShardShapeWrapper::is_static;
    static constexpr bool bank_coords_static = has_static_num_banks && BankCoordsWrapper::is_static;
    static constexpr bool shapes_static = tensor_shape_static && shard_shape_static;
    static constexpr bool is_static = shapes_static && bank_coords_static;
    static constexpr bool is_interleaved = IsInterleaved;
    static constexpr bool is_dram = IsDram;
    static constexpr bool is_shard_contiguous = IsShardContiguous;
    static constexpr auto rank_ct = RankCT;
    static constexpr auto num_banks_ct = NumBanksCT;

    static constexpr uint32_t kMaxBanks = has_static_num_banks ? NumBanksCT : 256;
    using Shape = detail::ShortList<uint32_t, has_static_rank ? RankCT : MAX_RANK>;
    using BankCoords = detail::ShortList<uint16_t, kMaxBanks>;

    // Everything known at compile time, or nothing (interleaved).
    constexpr DistributionSpec() : shard_contiguous_(IsShardContiguous) {
        if constexpr (is_static) {
            tensor_shape_ = Shape(TensorShapeWrapper::elements, RankCT);
            shard_shape_ = Shape(ShardShapeWrapper::elements, RankCT);
            bank_coords_ = BankCoords(BankCoordsWrapper::elements, NumBanksCT);
            derive();
        }
    }
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    constexpr explicit DistributionSpec(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args) :
        shard_contiguous_(args.resolve_shard_contiguous()) {
        if constexpr (!is_interleaved) {
            tensor_shape_ = shape<TensorShapeWrapper>(args.get_rank(), args.tensor_shape_crta_offset());
            shard_shape_ = shape<ShardShapeWrapper>(args.get_rank(), args.shard_shape_crta_offset());
            if constexpr (bank_coords_static) {
                bank_coords_ = BankCoords(BankCoordsWrapper::elements, NumBanksCT);
            } else {
                bank_coords_ = BankCoords(
                    reinterpret_cast<uint16_t*>(get_common_arg_addr(args.bank_coords_crta_offset())),
                    args.get_num_banks());
            }
            derive();
        }
    }

    constexpr uint32_t rank() const { return has_static_rank ? RankCT : tensor_shape_.size(); }
    constexpr uint32_t num_banks() const { return has_static_num_banks ? NumBanksCT : bank_coords_.size(); }
    constexpr bool resolve_shard_contiguous() const { return shard_contiguous_; }
    constexpr const Shape& tensor_shape() const { return tensor_shape_; }
    constexpr const Shape& shard_shape() const { return shard_shape_; }
    constexpr const Shape& tensor_strides() const { return tensor_strides_; }
    constexpr const Shape& shard_strides() const { return shard_strides_; }
    constexpr const Shape& shard_grid() const { return shard_grid_; }
    constexpr const Shape& shard_grid_strides() const { return shard_grid_strides_; }
    constexpr const BankCoords& packed_xy_coords() const { return bank_coords_; }
    constexpr size_t tensor_volume() const { return tensor_volume_; }
    constexpr size_t shard_volume() const { return shard_volume_; }
    constexpr size_t num_shards() const { return num_shards_; }

private:
    template <typename Wrapper>
    static constexpr Shape shape(uint32_t rank, uint32_t crta_offset) {
        if constexpr (has_static_rank && Wrapper::is_static) {
            return Shape(Wrapper::elements, rank);
        } else {
            return Shape(reinterpret_cast<uint32_t*>(get_common_arg_addr(crta_offset)), rank);
        }
    }
    static constexpr size_t row_major_strides(const Shape& extents, Shape& strides) {
        strides = extents;
        size_t volume = 1;
        for (uint32_t i = extents.size(); i-- > 0;) {
            strides[i] = uint32_t(volume);
            volume *= extents[i];
        }
        return volume;
    }
    constexpr void derive() {
        shard_grid_ = tensor_shape_;
        for (uint32_t i = 0; i < tensor_shape_.size(); ++i) {
            shard_grid_[i] = (tensor_shape_[i] + shard_shape_[i] - 1) / shard_shape_[i];
        }
        tensor_volume_ = row_major_strides(tensor_shape_, tensor_strides_);
        shard_volume_ = row_major_strides(shard_shape_, shard_strides_);
        num_shards_ = row_major_strides(shard_grid_, shard_grid_strides_);
    }

    bool shard_contiguous_;
    Shape tensor_shape_, shard_shape_, tensor_strides_, shard_strides_, shard_grid_, shard_grid_strides_;
    BankCoords bank_coords_;
    size_t tensor_volume_ = 0, shard_volume_ = 0, num_shards_ = 0;
};

template <bool IsDram>
using InterleavedSpec = DistributionSpec<
    0,
    0,
    ArrayStaticWrapper<uint32_t>,
    ArrayStaticWrapper<uint32_t>,
    ArrayStaticWrapper<uint16_t>,
    true,
    IsDram>;

template <bool IsDram>
auto make_interleaved_dspec() {
    return InterleavedSpec<IsDram>();
}

using NullDSpec = DistributionSpec<
    1,
    1,
    ArrayStaticWrapperU32<1>,
    ArrayStaticWrapperU32<1>,
    ArrayStaticWrapperU16<0>,
    false,
    false,
    false>;

namespace detail {

// The spec a tensor's arguments describe. Interleaved tensors of one memory all have the same type.
template <typename Args>
constexpr auto spec_of() {
    if constexpr (!Args::is_sharded) {
        return std::type_identity<InterleavedSpec<Args::is_dram>>();
    } else {
        using TensorShape = typename decltype(words_or_dynamic<
                                              !Args::tensor_shape_is_crta,
                                              Args::TensorShapeCTAOffset,
                                              Args::RankCT>())::type;
        using ShardShape =
            typename decltype(words_or_dynamic<!Args::shard_shape_is_crta, Args::ShardShapeCTAOffset, Args::RankCT>())::
                type;
        using BankCoords = typename decltype(halves_or_dynamic<
                                             !Args::bank_coords_is_crta,
                                             Args::BankCoordsCTAOffset,
                                             Args::NumBanksCT>())::type;
        return std::type_identity<DistributionSpec<
            Args::RankCT,
            Args::NumBanksCT,
            TensorShape,
            ShardShape,
            BankCoords,
            false,
            Args::is_dram,
            Args::is_shard_contiguous>>();
    }
}
template <typename Args>
using spec_of_t = typename decltype(spec_of<Args>())::type;

}  // namespace detail
}  // namespace tensor_accessor
