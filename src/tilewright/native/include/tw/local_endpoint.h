// SPDX-License-Identifier: Apache-2.0
// NoC traits of endpoints in this core's L1. A derived trait gives the start address.
#pragma once

#include <cstdint>

#include "api/dataflow/noc.h"

namespace tw {

template <typename Endpoint, typename Derived, typename Offset = uint32_t>
struct LocalEndpointTraits {
    struct src_args_type {
        Offset offset_bytes = 0;
    };
    struct dst_args_type {
        Offset offset_bytes = 0;
    };
    struct dst_args_mcast_type {
        uint32_t noc_x_start{};
        uint32_t noc_y_start{};
        uint32_t noc_x_end{};
        uint32_t noc_y_end{};
        uint32_t offset_bytes{};
    };

    template <Noc::AddressType address_type>
    static uint32_t src_addr(const Endpoint& endpoint, const Noc&, const src_args_type& args) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "memory of this core is a local source only");
        return uint32_t(Derived::read_address(endpoint) + args.offset_bytes);
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(const Endpoint& endpoint, const Noc&, const dst_args_type& args) {
        static_assert(address_type == Noc::AddressType::LOCAL_L1, "memory of this core is a local destination only");
        return uint32_t(Derived::write_address(endpoint) + args.offset_bytes);
    }
    // The same place of every core in the rectangle.
    template <Noc::AddressType address_type>
    static uint64_t dst_addr_mcast(const Endpoint& endpoint, const Noc& noc, const dst_args_mcast_type& args) {
        return get_noc_multicast_addr(
            args.noc_x_start,
            args.noc_y_start,
            args.noc_x_end,
            args.noc_y_end,
            Derived::write_address(endpoint) + args.offset_bytes,
            noc.get_noc_id());
    }
};

}  // namespace tw
