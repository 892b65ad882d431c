# SPDX-License-Identifier: Apache-2.0
"""Deliveries: cores put pages into other cores' circular buffers, whose compute kernels use them.

Sender i delivers to one receiver, or to all of them by multicast. What varies: how many senders and receivers, pages,
depth, whether arrivals and room are flags that are set back or counts that grow, and what keeps page and signal apart.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import COPY, WRITER, Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, always, number_of, numbered

FLAGS, COUNTS = range(2)

SENDER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t depth = get_arg_val<uint32_t>(2);
    const uint32_t counts = get_arg_val<uint32_t>(3);
    const uint32_t waits_for_acknowledgement = get_arg_val<uint32_t>(4);
    const uint32_t first_tile = get_arg_val<uint32_t>(5);
    const uint32_t receiver_x = get_arg_val<uint32_t>(6);
    const uint32_t receiver_y = get_arg_val<uint32_t>(7);
    const uint32_t told_x = get_arg_val<uint32_t>(8);
    const uint32_t told_y = get_arg_val<uint32_t>(9);
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    const uint32_t tile_bytes = get_tile_size(0);
    const uint32_t base = get_write_ptr(0);
    const uint32_t page = get_write_ptr(2);
    const uint64_t there = get_noc_addr(told_x, told_y, get_semaphore(0));
    auto room = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        noc_async_read_page(first_tile + tile, src, page);
        noc_async_read_barrier();
        if (fault == NO_ROOM_ASKED) {
        } else if (counts) {
            noc_semaphore_wait_min(room, tile + 1);
        } else {
            noc_semaphore_wait(room, 1);
            noc_semaphore_set(room, 0);
        }
        if (fault == SIGNAL_FIRST) {
            noc_semaphore_inc(there, 1);
        }
        const uint64_t to = get_noc_addr(receiver_x, receiver_y, base + tile % depth * tile_bytes);
        noc_async_write(page, to, tile_bytes);  // AT NO_ROOM_ASKED SIGNAL_FIRST TELL_NEIGHBOUR ROOM_BEFORE_RESERVE
        if (waits_for_acknowledgement) {
            noc_async_write_barrier();
        } else {
            noc_async_writes_flushed();
        }
        if (fault != SIGNAL_FIRST) {
            noc_semaphore_inc(there, 1);
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
"""

RECEIVER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t counts = get_arg_val<uint32_t>(2);
    const uint32_t sender_x = get_arg_val<uint32_t>(3);
    const uint32_t sender_y = get_arg_val<uint32_t>(4);
    auto there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint64_t room = get_noc_addr(sender_x, sender_y, get_semaphore(1));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        if (fault == ROOM_BEFORE_RESERVE) {
            noc_semaphore_inc(room, 1);
        }
        cb_reserve_back(0, 1);
        if (fault != ROOM_BEFORE_RESERVE) {
            noc_semaphore_inc(room, 1);
        }
        if (fault == NO_WAIT) {
        } else if (counts) {
            noc_semaphore_wait_min(there, tile + 1);
        } else {
            noc_semaphore_wait(there, 1);
            noc_semaphore_set(there, 0);
        }
        cb_push_back(0, 1);
    }
    noc_async_atomic_barrier();
}
"""

# The unpacker uses what was delivered.
COMPUTE = COPY.replace("copy_tile(cb_in, 0, 0);", "copy_tile(cb_in, 0, 0);  // AT EVERY_FAULT")


@dataclasses.dataclass(frozen=True)
class Delivery:
    """A legal program."""

    pairs: int
    tiles: int
    depth: int
    signals: int
    waits_for_acknowledgement: bool
    rows_apart: int
    depth_out: int

    @property
    def senders(self) -> list[Core]:
        return [(x, 0) for x in range(self.pairs)]

    @property
    def receivers(self) -> list[Core]:
        return [(x, self.rows_apart) for x in range(self.pairs)]


deliveries = st.builds(
    Delivery,
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(1, 3),
    st.sampled_from((FLAGS, COUNTS)),
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 3),
)


def _no_room_asked(delivery: Delivery) -> tuple[str, ...]:
    """A flag that is not answered may be raised twice before it is seen; a count only overwrites pages."""
    return ("l1-race",) if delivery.tiles > delivery.depth and delivery.signals == COUNTS else ()


def _room_before_reserve(delivery: Delivery) -> tuple[str, ...]:
    return ("l1-race",) if delivery.tiles > delivery.depth else ()


FAULTS = (
    Fault("NO_WAIT", lambda delivery: ("l1-race",) if delivery.signals == COUNTS else ()),
    Fault("SIGNAL_FIRST", always("l1-race")),
    Fault("NO_ROOM_ASKED", _no_room_asked),
    Fault("ROOM_BEFORE_RESERVE", _room_before_reserve),
    Fault("TELL_NEIGHBOUR", lambda delivery: ("l1-race",) if delivery.pairs > 1 else ()),
)
NAMES = tuple(fault.name for fault in FAULTS)


def _for_every_fault(source: str) -> str:
    return source.replace("EVERY_FAULT", " ".join(NAMES))


def build(host: Host, delivery: Delivery, fault: str = "") -> Launch:
    """The program of a delivery, with one fault in it or none: the output is the input."""
    senders, receivers = delivery.senders, delivery.receivers
    num_tiles = delivery.tiles * delivery.pairs
    source, values = host.tiles(num_tiles)
    output = host.output_tiles(num_tiles)
    number = number_of(fault, NAMES)
    told = receivers[1:] + receivers[:1] if fault == "TELL_NEIGHBOUR" else receivers
    sending = {
        sender: [
            number,
            delivery.tiles,
            delivery.depth,
            delivery.signals,
            int(delivery.waits_for_acknowledgement),
            delivery.tiles * index,
            *host.noc(receivers[index]),
            *host.noc(told[index]),
        ]
        for index, sender in enumerate(senders)
    }
    receiving = {
        receiver: [number, delivery.tiles, delivery.signals, *host.noc(sender)]
        for sender, receiver in zip(senders, receivers, strict=True)
    }
    writing = {receiver: [delivery.tiles, delivery.tiles * index] for index, receiver in enumerate(receivers)}
    cores = [*senders, *receivers]
    return host.launch(
        [source, output],
        np.asarray(values),
        [
            host.kernel("reader_sender", numbered(SENDER, NAMES), sending, [source], senders),
            host.kernel("reader_receiver", numbered(RECEIVER, NAMES), receiving, (), receivers),
            host.kernel("compute", _for_every_fault(COMPUTE), [delivery.tiles], (), receivers),
            host.kernel("writer", WRITER, writing, [output], receivers),
        ],
        [
            host.cb(0, "pages", delivery.depth, cores=cores),
            host.cb(2, "page", 1, cores=cores),
            host.cb(16, "out", delivery.depth_out, cores=cores),
        ],
        semaphores=2,
        cores=cores,
    )


DELIVERIES = Family(
    "deliveries",
    deliveries,
    build,
    {"reader_sender": SENDER, "reader_receiver": RECEIVER, "compute": _for_every_fault(COMPUTE), "writer": WRITER},
    FAULTS,
)
