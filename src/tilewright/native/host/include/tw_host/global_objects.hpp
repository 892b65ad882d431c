// SPDX-License-Identifier: Apache-2.0
// Circular buffers and semaphores that several programs share. Operations declare them as optional parameters and
// members; none is made here, because they need several programs at once, which are not simulated.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tw_host/device.hpp"

namespace tt::tt_metal {

// A namespace of its own: ttnn's Python objects of these names are of other types, and are refused.
namespace experimental {
inline namespace not_simulated {
class GlobalCircularBuffer {
public:
    GlobalCircularBuffer(
        distributed::MeshDevice&,
        const std::vector<std::pair<CoreCoord, CoreRangeSet>>&,
        std::uint32_t,
        BufferType = BufferType::L1) {
        refuse();
    }
    CoreRangeSet sender_cores() const { refuse(); }
    CoreRangeSet receiver_cores() const { refuse(); }
    CoreRangeSet all_cores() const { refuse(); }
    DeviceAddr buffer_address() const { refuse(); }
    DeviceAddr config_address() const { refuse(); }
    std::uint32_t size() const { refuse(); }
    const std::vector<std::pair<CoreCoord, CoreRangeSet>>& sender_receiver_core_mapping() const { refuse(); }
    std::tuple<> attribute_values() const { return {}; }

private:
    [[noreturn]] static void refuse() {
        TT_THROW("a GlobalCircularBuffer needs several programs at once, which are not simulated");
    }
};
}  // namespace not_simulated
}  // namespace experimental

inline namespace not_simulated {
class GlobalSemaphore {
public:
    GlobalSemaphore(distributed::MeshDevice&, CoreRangeSet, std::uint32_t, BufferType = BufferType::L1) { refuse(); }
    DeviceAddr address() const { refuse(); }
    std::tuple<> attribute_values() const { return {}; }

private:
    [[noreturn]] static void refuse() {
        TT_THROW("a GlobalSemaphore needs several programs at once, which are not simulated");
    }
};
}  // namespace not_simulated

}  // namespace tt::tt_metal

namespace ttnn {
using tt::tt_metal::GlobalSemaphore;
}  // namespace ttnn
