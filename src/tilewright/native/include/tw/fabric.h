// SPDX-License-Identifier: Apache-2.0
// Names of the fabric between chips, for kernels that include its headers without sending: there is one chip. Calls
// that send, or build a connection, are refused by name.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "../../abi/debug.h"
#include "api/dataflow/dataflow_api.h"
#include "tw/fabric_types.h"

namespace tw {

[[noreturn]] inline void refuse_fabric() { tw_not_modelled("the fabric between chips"); }

// What a call gives that does not come back.
struct Fabric {
    template <typename Value>
    operator Value() const {
        refuse_fabric();
    }
};
template <typename Element>
struct FabricTable {
    [[noreturn]] Element operator[](std::uint32_t) const { refuse_fabric(); }
};

}  // namespace tw

#define TW_FABRIC_CALL(name) \
    template <auto... options, typename... Arguments> \
    [[noreturn]] inline tw::Fabric name(Arguments&&...) { \
        tw::refuse_fabric(); \
    }
// Members of packet headers and senders.
#define TW_FABRIC_MEMBER(name) \
    template <auto... options, typename... Arguments> \
    [[noreturn]] tw::Fabric name(Arguments&&...) const volatile { \
        tw::refuse_fabric(); \
    }

struct eth_chan_directions {
    enum : std::uint8_t { EAST = 0, WEST = 1, NORTH = 2, SOUTH = 3, Z = 4, COUNT = 5 };
};

namespace tt::tt_fabric {

struct NocUnicastCommandHeader {
    std::uint64_t noc_address;
};
struct NocUnicastScatterCommandHeader {
    NocUnicastScatterCommandHeader(std::initializer_list<std::uint64_t>, std::initializer_list<std::uint16_t> = {}) {}
};
struct MulticastRoutingCommandHeader {
    std::uint8_t start_distance_in_hops, range_hops;
};
struct NocUnicastAtomicIncCommandHeader {
    std::uint64_t noc_address;
    std::uint32_t val = 1;
    bool flush = true;
};
struct NocUnicastAtomicIncFusedCommandHeader {
    std::uint64_t noc_address, semaphore_noc_address;
    std::uint32_t val = 1;
    bool flush = true;
};

struct PacketHeader {
    TW_FABRIC_MEMBER(to_chip_unicast)
    TW_FABRIC_MEMBER(to_chip_multicast)
    TW_FABRIC_MEMBER(to_noc_unicast_write)
    TW_FABRIC_MEMBER(to_noc_unicast_scatter_write)
    TW_FABRIC_MEMBER(to_noc_unicast_inline_write)
    TW_FABRIC_MEMBER(to_noc_unicast_atomic_inc)
    TW_FABRIC_MEMBER(to_noc_fused_unicast_write_atomic_inc)
};
struct LowLatencyPacketHeader : PacketHeader {};
struct HybridMeshPacketHeader : PacketHeader {};
struct UDMHybridMeshPacketHeader : PacketHeader {};

struct WorkerToFabricEdmSender {
    template <auto... options, typename... Arguments>
    [[noreturn]] static WorkerToFabricEdmSender build_from_args(Arguments&&...) {
        tw::refuse_fabric();
    }
    TW_FABRIC_MEMBER(open)
    TW_FABRIC_MEMBER(open_start)
    TW_FABRIC_MEMBER(open_finish)
    TW_FABRIC_MEMBER(close)
    TW_FABRIC_MEMBER(close_start)
    TW_FABRIC_MEMBER(close_finish)
    TW_FABRIC_MEMBER(wait_for_empty_write_slot)
    TW_FABRIC_MEMBER(send_payload_without_header_non_blocking_from_address)
    TW_FABRIC_MEMBER(send_payload_flush_blocking_from_address)
    TW_FABRIC_MEMBER(send_payload_flush_non_blocking_from_address)
};
template <std::uint8_t buffers = 0>
struct WorkerToFabricMuxSender : WorkerToFabricEdmSender {};
TW_FABRIC_CALL(fabric_async_write)

namespace linear {

TW_FABRIC_CALL(to_noc_unicast_write)
TW_FABRIC_CALL(to_noc_unicast_scatter_write)
TW_FABRIC_CALL(to_noc_fused_unicast_write_atomic_inc)
TW_FABRIC_CALL(to_noc_fused_unicast_scatter_write_atomic_inc)
TW_FABRIC_CALL(to_noc_sparse_mcast_write)

namespace experimental {
TW_FABRIC_CALL(fabric_unicast_noc_unicast_atomic_inc)
TW_FABRIC_CALL(fabric_multicast_noc_unicast_atomic_inc)
}  // namespace experimental

}  // namespace linear

namespace common::experimental {
template <typename Sender>
inline constexpr bool is_fabric_mux_v2_sender_v = false;
}  // namespace common::experimental

}  // namespace tt::tt_fabric

using tt::tt_fabric::HybridMeshPacketHeader;
using tt::tt_fabric::LowLatencyPacketHeader;
using tt::tt_fabric::UDMHybridMeshPacketHeader;
using tt::tt_fabric::WorkerToFabricEdmSender;

#define PACKET_HEADER_TYPE tt::tt_fabric::LowLatencyPacketHeader
#define NOC_SPARSE_MCAST_WRITE_MAX_DESTS 4

TW_FABRIC_CALL(fabric_set_unicast_route)
TW_FABRIC_CALL(fabric_set_mcast_route)
TW_FABRIC_CALL(fabric_set_sparse_multicast_route)
TW_FABRIC_CALL(fabric_mcast_hop_mask_and_direction)
TW_FABRIC_CALL(get_next_hop_router_direction)
// Addresses on this chip.
inline std::uint64_t safe_get_noc_addr(
    std::uint8_t dest_noc_x, std::uint8_t dest_noc_y, std::uint32_t dest_bank_addr, std::uint8_t noc_id = noc_index) {
    return get_noc_addr(dest_noc_x, dest_noc_y, dest_bank_addr, noc_id);
}
inline std::pair<tt::tt_fabric::WorkerXY, std::uint32_t> get_noc_address_components(std::uint64_t noc_addr) {
    const auto x = static_cast<std::uint16_t>(NOC_UNICAST_ADDR_X(noc_addr));
    const auto y = static_cast<std::uint16_t>(NOC_UNICAST_ADDR_Y(noc_addr));
    return {{x, y}, static_cast<std::uint32_t>(noc_addr)};
}

// Tables of a card's firmware that address generators of these libraries look into.
inline constexpr tw::FabricTable<std::uint32_t> bank_to_dram_offset;
inline constexpr tw::FabricTable<tw::FabricTable<std::uint32_t>> dram_bank_to_noc_xy;

class FabricConnectionManager {
public:
    bool has_forward_connection() const { return false; }
    bool has_backward_connection() const { return false; }
    bool is_logically_connected() const { return false; }
    [[noreturn]] WorkerToFabricEdmSender& get_forward_connection() { tw::refuse_fabric(); }
    [[noreturn]] WorkerToFabricEdmSender& get_backward_connection() { tw::refuse_fabric(); }
    [[noreturn]] void open() { tw::refuse_fabric(); }
    [[noreturn]] void close() { tw::refuse_fabric(); }
};

#undef TW_FABRIC_CALL
#undef TW_FABRIC_MEMBER
