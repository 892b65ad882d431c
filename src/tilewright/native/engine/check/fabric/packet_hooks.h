// SPDX-License-Identifier: Apache-2.0
// Hooks by which routers report packets and connections to a checked run (packet_checks.h).
#pragma once

#include <cstdint>

#include "check/hook.h"
#include "fabric/packet_path.h"
#include "run/scheduler.h"

namespace tw {

// A packet writes `bytes` bytes to `to`, which the NoC address means on the die it has arrived at. Before the write.
TW_HOOK(
    instance,
    on_packet_write,
    (KernelInstance & instance,
     uint64_t address,
     uint8_t* to,
     uint32_t bytes,
     const uint8_t* values,
     const PacketPath& path),
    (instance, address, to, bytes, values, path))
TW_HOOK(
    instance,
    on_packet_increment,
    (KernelInstance & instance, uint64_t address, uint32_t amount, bool flushes, const PacketPath& path),
    (instance, address, amount, flushes, path))
// A packet was sent; `multicast`: it was written on a die and went on.
TW_HOOK(instance, on_packet_sent, (KernelInstance & instance, bool multicast), (instance, multicast))
// The kernel opens or closes a connection to the router at this end of a link.
TW_HOOK(instance, on_connection, (KernelInstance & instance, uint32_t end, bool opens), (instance, end, opens))
// The kernel adds to a stream register of a core, by which that core counts packets.
TW_HOOK(
    instance, on_stream_raised, (KernelInstance & instance, const Core& core, uint32_t word), (instance, core, word))
// The kernel loads or stores a stream register of its own core.
TW_HOOK(
    instance, on_stream_access, (KernelInstance & instance, uint32_t word, bool is_write), (instance, word, is_write))

}  // namespace tw
