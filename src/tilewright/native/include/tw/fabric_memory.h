// SPDX-License-Identifier: Apache-2.0
// What the installed ttnn's headers of the fabric expect of a worker core: places of L1 that the host fills, tables of
// banks, and names of a router's own calls. The card's server defines the places, as the release has them
// (_card/systems/fabric_kernels.py).
#pragma once

#include <cstdint>
#include <tuple>

#include "../../abi/debug.h"
#include "api/dataflow/dataflow_api.h"

// A place of the calling core's L1; its offset where a constant is wanted.
#define TW_L1_PLACE(offset) ((offset) + (__builtin_is_constant_evaluated() ? 0u : tw_context()->l1_base))

#define MEM_TENSIX_ROUTING_TABLE_BASE TW_L1_PLACE(TW_ROUTING_TABLE)
#define MEM_TENSIX_ROUTING_PATH_BASE_1D TW_L1_PLACE(TW_ROUTING_PATH)
#define MEM_TENSIX_EXIT_NODE_TABLE_BASE TW_L1_PLACE(TW_EXIT_NODE_TABLE)
#define MEM_TENSIX_FABRIC_CONNECTIONS_BASE TW_L1_PLACE(TW_FABRIC_CONNECTIONS)
#define MEM_FABRIC_CONNECTION_LOCK_BASE TW_L1_PLACE(TW_FABRIC_CONNECTION_LOCK)
#define MEM_FABRIC_COUNTER_BASE TW_L1_PLACE(TW_FABRIC_COUNTER)
#define PACKET_HEADER_MAX_SIZE TW_PACKET_HEADER_MAX_SIZE

// Coordinates are those of the translated NoC, the same on both NoCs.
#define NOC_0_X_PHYS_COORD(noc, noc_size_x, x) (x)
#define NOC_0_Y_PHYS_COORD(noc, noc_size_y, y) (y)
inline constexpr std::uint32_t NOC_COORDINATE_MASK = 0xFFFFFFFF;

// A card's unsigned long has 32 bits: kernels return it where they also return uint32_t.
namespace std {
constexpr tuple<bool, uint32_t> make_tuple(bool&& first, unsigned long&& second) { return {first, uint32_t(second)}; }
}  // namespace std

namespace tw {

// Coordinates of DRAM banks, in a table for each NoC.
struct DramBanks {
    struct OfNoc {
        std::uint32_t operator[](std::uint32_t bank) const {
            return std::uint32_t(tw_bank_noc_address(1, bank, 0, 0) >> NOC_ADDR_COORD_SHIFT);
        }
    };
    OfNoc operator[](std::uint32_t) const { return {}; }
};
struct DramOffsets {
    std::uint32_t operator[](std::uint32_t) const { return 0; }
};

}  // namespace tw

inline constexpr tw::DramBanks dram_bank_to_noc_xy;
inline constexpr tw::DramOffsets bank_to_dram_offset;

// Of routers' kernels, which are not run.
#define NCRISC_AT_CMD_BUF 3
#define MEM_NOC_ATOMIC_RET_VAL_ADDR 4
struct launch_msg_t {
    struct {
        std::uint32_t exit_erisc_kernel;
    } kernel_config;
};
struct tw_mailboxes {
    std::uint32_t launch_msg_rd_ptr;
    launch_msg_t launch[1];
};
inline tw_mailboxes tw_mailbox;
#define GET_MAILBOX_ADDRESS_DEV(field) (&tw_mailbox.field)
template <auto... options, typename... Arguments>
[[noreturn]] inline void noc_fast_atomic_increment(Arguments&&...) {
    tw_not_modelled("noc_fast_atomic_increment");
}

// Writes with the destination kept, by the name that firmware has for them.
template <bool posted = false, bool one_packet = false>
inline void ncrisc_noc_write_set_state(
    std::uint32_t noc, std::uint32_t, std::uint64_t dst_noc_addr, std::uint32_t = 0, std::uint8_t vc = 0) {
    static_assert(!one_packet, "ncrisc_noc_write_set_state for one packet is not simulated");
    noc_async_write_set_state<posted>(dst_noc_addr, std::uint8_t(noc), vc);
}
template <std::uint8_t mode = 0, bool posted = false, bool update_counter = true, bool one_packet = false>
inline void ncrisc_noc_write_with_state(
    std::uint32_t noc, std::uint32_t, std::uint32_t source, std::uint32_t destination, std::uint32_t bytes) {
    noc_async_write_with_state<posted>(source, destination, bytes, std::uint8_t(noc));
}

// Of sockets to the host, whose memory kernels do not reach here.
enum { CQ_NOC_SNDL, CQ_NOC_SEND, CQ_NOC_WAIT };
inline bool noc_cmd_buf_ready(std::uint32_t, std::uint32_t) { return true; }
template <auto... options, typename... Arguments>
[[noreturn]] inline void noc_write_init_state(Arguments&&...) {
    tw_not_modelled("a socket to the host");
}
template <auto... options, typename... Arguments>
[[noreturn]] inline void noc_wwrite_with_state(Arguments&&...) {
    tw_not_modelled("a socket to the host");
}
template <typename... Arguments>
[[noreturn]] inline void noc_async_write_clear_pcie_state(Arguments&&...) {
    tw_not_modelled("a socket to the host");
}

// Firmware's helpers that the mux kernels call.
template <bool enable>
inline void set_l1_data_cache() {}
inline void noc_clear_packet_tags(std::uint32_t) {}
inline void noc_clear_packet_tag(std::uint32_t, std::uint32_t) {}
inline void zero_l1_buf(std::uint32_t* begin, std::uint32_t bytes) {
    for (std::uint32_t index = 0; index < bytes / sizeof(std::uint32_t); index++) {
        reinterpret_cast<volatile std::uint32_t*>(begin)[index] = 0;
    }
}
