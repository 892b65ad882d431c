// SPDX-License-Identifier: Apache-2.0
// Packet headers out of a pool in each core's L1, half of it for each data movement processor.
#pragma once

#include <cstdint>
#include <utility>

#include "hostdev/fabric_edm_packet_header.hpp"

class PacketHeaderPool {
    using Header = volatile tt_l1_ptr PACKET_HEADER_TYPE;
    static constexpr std::uint32_t kProcessors = 2;
    static constexpr std::uint32_t kHeaders = TW_NUM_PACKET_HEADERS / kProcessors;
    static constexpr std::uint32_t kBytes = PACKET_HEADER_MAX_SIZE * kHeaders;

    static inline std::uint32_t used_ = 0;  // bytes
    static inline std::uint8_t routes_ = 0;

    static void require(bool holds) {
        if (!holds) {
            tw_kernel_failed("PacketHeaderPool: the pool of packet headers of this processor is used up");
        }
    }

public:
    static inline std::pair<Header*, std::uint8_t> header_table[kHeaders] = {};

    static void reset() {
        used_ = 0;
        routes_ = 0;
    }
    static Header* allocate_header(std::uint8_t num_headers = 1) {
        require(used_ + PACKET_HEADER_MAX_SIZE * num_headers <= kBytes && routes_ < kHeaders);
        const std::uint32_t address = TW_L1_PLACE(TW_PACKET_HEADER_POOL) + PROCESSOR_INDEX * kBytes + used_;
        used_ += PACKET_HEADER_MAX_SIZE * num_headers;
        auto* headers = reinterpret_cast<Header*>(std::uintptr_t{address});
        header_table[routes_++] = {headers, num_headers};
        return headers;
    }
    static std::uint8_t allocate_header_n(std::uint8_t num_headers) {
        allocate_header(num_headers);
        return routes_ - 1;
    }
    template <typename Action>
    static void for_each_header(std::uint8_t route_id, Action&& action) {
        if (route_id >= routes_) {
            tw_kernel_failed("PacketHeaderPool::for_each_header: no headers were allocated for this route");
        }
        auto [headers, count] = header_table[route_id];
        for (std::uint8_t index = 0; index < count; index++) {
            action(headers++, index);
        }
    }
    static std::uint8_t get_num_headers(std::uint8_t route_id) {
        return route_id < routes_ ? header_table[route_id].second : 0;
    }
};
