// SPDX-License-Identifier: Apache-2.0
// TensorAccessor: from a tensor's page ids to NoC addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "api/tensor/pages_address_iterator.h"
#include "api/tensor/shard_pages_address_iterator.h"
#include "api/tensor/tensor_accessor_args.h"
#include "api/tensor/tensor_binding_token.h"
#include "internal/dataflow/dataflow_api_addrgen.h"
#include "internal/tensor/dspec.h"

namespace tensor_accessor::detail {

template <typename T>
inline constexpr bool always_false_v = false;
template <typename T>
inline constexpr bool has_subscript_operator_v = requires(const T& t) { t[0]; };

}  // namespace tensor_accessor::detail

// Sharded tensors.
template <typename DSpecT>
struct TensorAccessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpec::is_dram;

    struct PageMapping {
        size_t bank_id;
        size_t bank_page_offset;
    };

    TensorAccessor(size_t bank_base_address = 0, uint32_t page_size = 0)
        requires(DSpec::is_static)
        : bank_base_address_(uint32_t(bank_base_address)), page_size_(page_size) {}
    TensorAccessor(const DSpecT& dspec, size_t bank_base_address, uint32_t page_size = 0) :
        dspec_(dspec), bank_base_address_(uint32_t(bank_base_address)), page_size_(page_size) {}
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(
        const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args,
        size_t bank_base_address,
        uint32_t page_size = TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::AlignedPageSize) :
        dspec_(args), bank_base_address_(uint32_t(bank_base_address)), page_size_(page_size) {}
    // The address is the token's first word; accessor words left to run time follow it.
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) :
        TensorAccessor(
            TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / sizeof(uint32_t) + 1>{},
            size_t(get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / sizeof(uint32_t)))) {}
    explicit TensorAccessor(const tensor_accessor::NullTensorBindingToken&) : TensorAccessor(size_t(0), uint32_t(0)) {}

    constexpr const DSpec& dspec() const { return dspec_; }
    FORCE_INLINE uint32_t get_aligned_page_size() const { return page_size_; }
    constexpr uint32_t get_bank_base_address() const { return bank_base_address_; }

    FORCE_INLINE uint64_t get_noc_addr(uint32_t page_id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return address_of(get_bank_and_offset(page_id), offset, noc);
    }
    template <typename Coordinates>
        requires tensor_accessor::detail::has_subscript_operator_v<Coordinates>
    uint64_t get_noc_addr(const Coordinates& page_coord, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return address_of(get_bank_and_offset(page_coord), offset, noc);
    }
    uint64_t get_shard_noc_addr(uint32_t shard_id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return address_of(place_in_bank(shard_id, 0), offset, noc);
    }
    template <typename Coordinates>
        requires tensor_accessor::detail::has_subscript_operator_v<Coordinates>
    uint64_t get_shard_noc_addr(const Coordinates& shard_coord, uint32_t offset = 0, uint8_t noc = noc_index) const {
        uint32_t shard_id = 0;
        for (uint32_t i = 0; i < dspec_.rank(); ++i) {
            shard_id += shard_coord[i] * dspec_.shard_grid_strides()[i];
        }
        return get_shard_noc_addr(shard_id, offset, noc);
    }

    PageMapping get_bank_and_offset(uint32_t page_id) const {
        if (page_id >= dspec_.tensor_volume()) {
            tw_kernel_failed("TensorAccessor: page id beyond the tensor's last page");
        }
        size_t shard = 0, in_shard = 0;
        for (uint32_t i = dspec_.rank(); i-- > 0;) {
            add_coordinate(i, page_id % dspec_.tensor_shape()[i], shard, in_shard);
            page_id /= dspec_.tensor_shape()[i];
        }
        return place_in_bank(shard, in_shard);
    }
    template <typename Coordinates>
        requires tensor_accessor::detail::has_subscript_operator_v<Coordinates>
    PageMapping get_bank_and_offset(const Coordinates& page_coord) const {
        size_t shard = 0, in_shard = 0;
        for (uint32_t i = 0; i < dspec_.rank(); ++i) {
            add_coordinate(i, page_coord[i], shard, in_shard);
        }
        return place_in_bank(shard, in_shard);
    }

    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y, uint8_t noc = noc_index) const {
        return noc_address_backend::is_local_coordinate(virtual_x, virtual_y, noc);
    }
    bool is_local_addr(uint64_t noc_addr, uint8_t noc = noc_index) const {
        return noc_address_backend::is_local(noc_addr, noc);
    }
    bool is_local_page(uint32_t page_id, uint8_t noc = noc_index) const {
        return is_local_addr(get_noc_addr(page_id, 0, noc), noc);
    }
    bool is_local_shard(uint32_t shard_id, uint8_t noc = noc_index) const {
        return is_local_addr(get_shard_noc_addr(shard_id, 0, noc), noc);
    }

    auto shard_pages(uint32_t shard_id, uint32_t start = 0, uint32_t end = 0, uint8_t noc = noc_index) const {
        return tensor_accessor::ShardPages<TensorAccessor>(
            *this, shard_id, start, end ? end : uint32_t(dspec_.shard_volume()), noc);
    }
    auto pages(uint32_t start_page_id = 0, uint32_t end_page_id = 0, uint8_t noc = noc_index) const {
        return tensor_accessor::Pages<TensorAccessor>(
            *this, start_page_id, end_page_id ? end_page_id : uint32_t(dspec_.tensor_volume()), 1, noc);
    }
    // Kernels have one thread here, so a strided walk is the whole walk.
    auto strided_pages(uint8_t noc = noc_index) const { return pages(0, 0, noc); }

private:
    void add_coordinate(uint32_t dimension, uint32_t coordinate, size_t& shard, size_t& in_shard) const {
        uint32_t extent = dspec_.shard_shape()[dimension];
        shard += size_t(coordinate / extent) * dspec_.shard_grid_strides()[dimension];
        in_shard += size_t(coordinate % extent) * dspec_.shard_strides()[dimension];
    }
    // Shards go round the banks, or each bank holds a run of consecutive shards.
    PageMapping place_in_bank(size_t shard, size_t page_in_shard) const {
        size_t banks = dspec_.num_banks();
        size_t bank = shard % banks;
        size_t shard_in_bank = shard / banks;
        if (dspec_.resolve_shard_contiguous()) {
            size_t shards_per_bank = dspec_.num_shards() / banks;
            bank = shard / shards_per_bank;
            shard_in_bank = shard % shards_per_bank;
        }
        return {bank, shard_in_bank * dspec_.shard_volume() + page_in_shard};
    }
    // A DRAM bank is named by its number, an L1 bank by its core; both sit in the upper byte(s) of the coordinate.
    uint64_t address_of(const PageMapping& place, uint32_t offset, uint8_t noc) const {
#if defined(TW_RECORDED)
        tw_record_page(dspec_.num_banks());
#endif
        uint32_t local = bank_base_address_ + uint32_t(place.bank_page_offset) * page_size_ + offset;
        uint32_t coordinate = dspec_.packed_xy_coords()[place.bank_id];
        return is_dram ? tw_bank_noc_address(1, coordinate >> 8, local, noc)
                       : ::get_noc_addr(coordinate >> 8, coordinate & 0xff, local, noc);
    }

    DSpec dspec_{};
    uint32_t bank_base_address_;
    uint32_t page_size_;
};

// Interleaved tensors.
template <bool IsDram>
struct TensorAccessor<tensor_accessor::InterleavedSpec<IsDram>> : public InterleavedAddrGen<IsDram> {
    using DSpec = tensor_accessor::InterleavedSpec<IsDram>;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, uint32_t bank_base_address) :
        TensorAccessor(DSpec(), bank_base_address, args.get_aligned_page_size()) {}
    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, uint32_t bank_base_address, uint32_t page_size) :
        TensorAccessor(DSpec(), bank_base_address, page_size) {}
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) :
        TensorAccessor(
            TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / sizeof(uint32_t) + 1>{},
            get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / sizeof(uint32_t))) {}
    constexpr explicit TensorAccessor(const DSpec&, size_t bank_base_address, uint32_t page_size = 0) :
        InterleavedAddrGen<IsDram>{.bank_base_address = uint32_t(bank_base_address), .page_size = page_size} {}

    constexpr DSpec dspec() const { return {}; }
    // As given, not rounded up to the allocator's alignment.
    uint32_t get_aligned_page_size() const { return this->page_size; }
    constexpr uint32_t get_bank_base_address() const { return this->bank_base_address; }

    auto pages(uint32_t start_page_id, uint32_t end_page_id, uint8_t noc = noc_index) const {
        return tensor_accessor::Pages<TensorAccessor>(*this, start_page_id, end_page_id, 1, noc);
    }
    auto strided_pages(uint32_t total_pages, uint8_t noc = noc_index) const { return pages(0, total_pages, noc); }
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t)
    -> TensorAccessor<tensor_accessor::detail::spec_of_t<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t, uint32_t)
    -> TensorAccessor<tensor_accessor::detail::spec_of_t<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) -> TensorAccessor<
    tensor_accessor::detail::spec_of_t<TensorAccessorArgs<CTA_OFFSET, ADDR_CRTA_OFFSET / sizeof(uint32_t) + 1>>>;
TensorAccessor(const tensor_accessor::NullTensorBindingToken&) -> TensorAccessor<tensor_accessor::NullDSpec>;

// One accessor for each of several tensors whose addresses are runtime arguments in a row.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t address_rt_arg_index_start) {
    return [&]<uint32_t... Indices>(std::integer_sequence<uint32_t, Indices...>) {
        return std::make_tuple(
            TensorAccessor(std::get<Indices>(args), get_arg_val<uint32_t>(address_rt_arg_index_start + Indices))...);
    }(std::make_integer_sequence<uint32_t, sizeof...(Args)>());
}
template <typename... Tokens>
auto make_tensor_accessors(const std::tuple<Tokens...>& tokens) {
    return std::apply([](const auto&... token) { return std::make_tuple(TensorAccessor(token)...); }, tokens);
}

// An accessor of any type behind one type, so that a loop can index several.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;
    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor& accessor) :
        accessor_(&accessor), get_noc_addr_([](const void* self, uint32_t page, uint32_t offset, uint8_t noc) {
            return static_cast<const Accessor*>(self)->get_noc_addr(page, offset, noc);
        }) {}

    uint64_t get_noc_addr(uint32_t page_idx, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return get_noc_addr_(accessor_, page_idx, offset, noc);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*get_noc_addr_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};

template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... accessor) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{
                AbstractTensorAccessorWrapper(accessor)...};
        },
        accessors);
}

template <typename Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& acc) : accessor(acc) {}
    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset, uint8_t noc) const {
        return accessor.get_noc_addr(page_id, offset, noc);
    }
};

template <typename Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& acc) : accessor(acc) {}
    uint64_t get_noc_addr(uint32_t shard_id, uint32_t offset, uint8_t noc) const {
        return accessor.get_shard_noc_addr(shard_id, offset, noc);
    }
};
