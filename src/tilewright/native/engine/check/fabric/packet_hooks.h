// SPDX-License-Identifier: Apache-2.0
// Hooks by which routers report packets and connections to a checked run (packet_checks.h).
#pragma once

#include <cstdint>

#include "check/hook.h"
#include "fabric/flight.h"
#include "run/scheduler.h"

namespace tw {

// The kernel sends a packet; `multicast`: it is written on a die and goes on.
TW_HOOK(
    instance,
    on_packet_sent,
    (KernelInstance & instance, Flight& flight, bool multicast),
    (instance, flight, multicast))
// A packet of the kernel is about to change memory.
TW_HOOK(
    instance,
    on_packet_arrives,
    (KernelInstance & instance, const Flight& flight, const PacketEffect& effect),
    (instance, flight, effect))
// The kernel opens or closes a connection to the router at this end of a link.
TW_HOOK(instance, on_connection, (KernelInstance & instance, uint32_t end, bool opens), (instance, end, opens))
// The kernel adds to a stream register of a core, by which that core counts packets.
TW_HOOK(
    instance, on_stream_raised, (KernelInstance & instance, const Core& core, uint32_t word), (instance, core, word))
// The kernel loads or stores a stream register of its own core.
TW_HOOK(
    instance, on_stream_access, (KernelInstance & instance, uint32_t word, bool is_write), (instance, word, is_write))

}  // namespace tw
