// SPDX-License-Identifier: Apache-2.0
// NoC coordinates of each ethernet channel, in the words of tt-metal's tables.
#pragma once

#include <cstdint>

#include "noc/noc_parameters.h"

namespace tw {

struct EthernetChannels {
    struct OfNoc {
        constexpr std::uint16_t operator[](std::uint32_t channel) const {
#if defined(ARCH_BLACKHOLE)
            const std::uint32_t x = 20 + channel, y = 25;
#else
            constexpr std::uint8_t columns[8] = {25, 18, 24, 19, 23, 20, 22, 21};
            const std::uint32_t x = columns[channel % 8], y = 16 + channel / 8;
#endif
            return std::uint16_t(y << NOC_ADDR_NODE_ID_BITS | x);
        }
    };
    constexpr OfNoc operator[](std::uint32_t) const { return {}; }
};

}  // namespace tw

inline constexpr tw::EthernetChannels eth_chan_to_noc_xy;
