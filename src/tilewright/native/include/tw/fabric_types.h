// SPDX-License-Identifier: Apache-2.0
// Types single-chip kernels see through shared headers. There is one chip here, so nothing is sent with them.
#pragma once

#include <cstdint>

namespace tt::tt_fabric {

enum class Topology { NeighborExchange = 0, Linear = 1, Ring = 2, Mesh = 3, Torus = 4 };
constexpr bool is_2D_topology(Topology topology) { return topology == Topology::Mesh || topology == Topology::Torus; }
constexpr bool is_ring_or_torus(Topology topology) { return topology == Topology::Ring || topology == Topology::Torus; }

struct WorkerXY {
    uint16_t x = 0;
    uint16_t y = 0;
    constexpr WorkerXY() = default;
    constexpr WorkerXY(uint16_t x_, uint16_t y_) : x(x_), y(y_) {}
    constexpr uint32_t to_uint32() const { return uint32_t(y) << 16 | x; }
    static constexpr WorkerXY from_uint32(uint32_t packed) {
        return WorkerXY(uint16_t(packed), uint16_t(packed >> 16));
    }
    constexpr bool operator==(const WorkerXY&) const = default;
};

}  // namespace tt::tt_fabric
