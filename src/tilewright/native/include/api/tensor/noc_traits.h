// SPDX-License-Identifier: Apache-2.0
// NoC endpoints that are pages or shards of tensors.
#pragma once

#include <cstdint>

#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

namespace tw {

// A NoC address, or its local part when the transfer's other end is remote and the page must lie in this core.
template <Noc::AddressType address_type>
auto tensor_address(uint64_t address, const Noc& noc) {
    if constexpr (address_type == Noc::AddressType::LOCAL_L1) {
        if (!noc.is_local_addr(address)) {
            tw_kernel_failed("a page used as local memory lies in another core");
        }
        return noc_address_backend::extract_local_address(address);
    } else {
        return address;
    }
}

struct PageArgs {
    uint32_t page_id{};
    uint32_t offset_bytes = 0;
};
struct ShardArgs {
    uint32_t shard_id{};
    uint32_t offset_bytes = 0;
};
struct OffsetArgs {
    uint32_t offset_bytes = 0;
};

template <typename Endpoint>
struct PageEndpointTraits {
    using src_args_type = PageArgs;
    using dst_args_type = PageArgs;
    template <Noc::AddressType address_type>
    static auto src_addr(const Endpoint& src, const Noc& noc, const PageArgs& args) {
        return tensor_address<address_type>(src.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()), noc);
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const Endpoint& dst, const Noc& noc, const PageArgs& args) {
        return src_addr<address_type>(dst, noc, args);
    }
};

// A page an iterator has found: its address is known.
template <typename Page>
struct FoundPageTraits {
    using src_args_type = OffsetArgs;
    using dst_args_type = OffsetArgs;
    template <Noc::AddressType address_type>
    static auto src_addr(const Page& src, const Noc& noc, const OffsetArgs& args) {
        return tensor_address<address_type>(src.noc_addr() + args.offset_bytes, noc);
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const Page& dst, const Noc& noc, const OffsetArgs& args) {
        return src_addr<address_type>(dst, noc, args);
    }
};

}  // namespace tw

template <typename DSpecT>
struct noc_traits_t<TensorAccessor<DSpecT>> : tw::PageEndpointTraits<TensorAccessor<DSpecT>> {};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : tw::PageEndpointTraits<PageView<Accessor>> {};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : tw::PageEndpointTraits<AbstractTensorAccessorWrapper> {};

template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>> {
    using src_args_type = tw::ShardArgs;
    using dst_args_type = tw::ShardArgs;
    template <Noc::AddressType address_type>
    static auto src_addr(const ShardView<Accessor>& src, const Noc& noc, const tw::ShardArgs& args) {
        return tw::tensor_address<address_type>(
            src.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id()), noc);
    }
    template <Noc::AddressType address_type>
    static auto dst_addr(const ShardView<Accessor>& dst, const Noc& noc, const tw::ShardArgs& args) {
        return src_addr<address_type>(dst, noc, args);
    }
};

template <>
struct noc_traits_t<tensor_accessor::Page> : tw::FoundPageTraits<tensor_accessor::Page> {};
template <typename Accessor>
struct noc_traits_t<tensor_accessor::AccessorPage<Accessor>>
    : tw::FoundPageTraits<tensor_accessor::AccessorPage<Accessor>> {};
template <typename Accessor>
struct noc_traits_t<tensor_accessor::ShardPage<Accessor>> : tw::FoundPageTraits<tensor_accessor::ShardPage<Accessor>> {
};
