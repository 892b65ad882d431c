# SPDX-License-Identifier: Apache-2.0
"""Multicasts: one core reads tiles and sends each to a rectangle of cores, which write them out.

What varies: the rectangle, tiles, depth, which NoC sends, whether the sender is in the rectangle too, and what keeps
data and flag in order: a link between the two, a flush or a barrier.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import Core, Host
from tests.bugs.corpus.model import BLACKHOLE, Launch
from tests.bugs.generated.model import Family, Fault, always, number_of, numbered
from tilewright import ttnn

LINKED, FLUSHED, BARRIER = range(3)

SENDER = """
#include "api/dataflow/dataflow_api.h"

enum : uint32_t { LINKED, FLUSHED, BARRIER };

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t order = get_arg_val<uint32_t>(2);
    const uint32_t in_rectangle = get_arg_val<uint32_t>(3);
    const uint32_t num_others = get_arg_val<uint32_t>(4);
    const uint32_t start_x = get_arg_val<uint32_t>(5);
    const uint32_t start_y = get_arg_val<uint32_t>(6);
    const uint32_t end_x = get_arg_val<uint32_t>(7);
    const uint32_t end_y = get_arg_val<uint32_t>(8);
    const uint32_t left_out = get_arg_val<uint32_t>(9);  // receivers the faults leave out, in the last column
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    constexpr uint32_t cb_in = 0;
    const uint32_t tile_bytes = get_tile_size(cb_in);
    auto there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const bool from_left = start_x <= end_x;
    const uint32_t narrow_start_x = start_x - (from_left ? 0 : 1), narrow_end_x = end_x - (from_left ? 1 : 0);
    const uint64_t flags = fault == FLAG_MISSES
        ? get_noc_multicast_addr(narrow_start_x, start_y, narrow_end_x, end_y, get_semaphore(0))
        : get_noc_multicast_addr(start_x, start_y, end_x, end_y, get_semaphore(0));  // AT SWAP_CORNERS
    const uint32_t all_receivers = num_others + in_rectangle;
    const uint32_t too_many = fault == ONE_CORE_TOO_FAR ? left_out : 0;
    const uint32_t num_receivers = fault == COUNT_ZERO       ? 0
                                   : fault == COUNT_ONE_MORE ? all_receivers + 1
                                   : fault == DATA_MISSES    ? all_receivers - left_out
                                                             : all_receivers + too_many;
    const uint32_t num_told =
        all_receivers + too_many - (fault == FLAG_MISSES ? left_out : 0) + (fault == COUNT_ONE_MORE ? 1 : 0);
    const bool linked = order == LINKED && fault != NOT_IN_ORDER;
    noc_semaphore_set(there, 1);
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_reserve_back(cb_in, 1);
        const uint32_t page = get_write_ptr(cb_in);
        noc_async_read_page(tile, src, page);  // AT PUSH_BEFORE_FLUSH
        noc_async_read_barrier();
        noc_semaphore_wait(ready, num_others);  // AT SKIP_READY
        noc_semaphore_set(ready, 0);
        const uint64_t pages = fault == DATA_MISSES
            ? get_noc_multicast_addr(narrow_start_x, start_y, narrow_end_x, end_y, page)
            : get_noc_multicast_addr(start_x, start_y, end_x, end_y, page);  // AT SWAP_CORNERS
        if (fault == READ_MULTICAST) {
            noc_async_read(pages, page, 32);  // AT READ_MULTICAST
        }
        if (in_rectangle) {
            // NEXT AT COUNT_ONE_MORE SWAP_CORNERS NO_LAST_BARRIER COUNT_ZERO ONE_CORE_TOO_FAR
            noc_async_write_multicast_loopback_src(page, pages, tile_bytes, num_receivers, linked);
        } else {
            // NEXT AT COUNT_ONE_MORE SWAP_CORNERS NO_LAST_BARRIER COUNT_ZERO ONE_CORE_TOO_FAR
            noc_async_write_multicast(page, pages, tile_bytes, num_receivers, linked);
        }
        if (fault == NOT_IN_ORDER || order == LINKED) {
        } else if (order == FLUSHED) {
            noc_async_writes_flushed();
        } else {
            noc_async_write_barrier();
        }
        if (fault == SKIP_FLAG && tile + 1 == num_tiles) {
        } else if (in_rectangle) {
            // NEXT AT NOT_IN_ORDER SWAP_CORNERS COUNT_ONE_MORE NO_LAST_BARRIER DATA_MISSES FLAG_MISSES ONE_CORE_TOO_FAR
            noc_semaphore_set_multicast_loopback_src(get_semaphore(0), flags, num_told);
        } else {
            // NEXT AT NOT_IN_ORDER SWAP_CORNERS COUNT_ONE_MORE NO_LAST_BARRIER DATA_MISSES FLAG_MISSES ONE_CORE_TOO_FAR
            noc_semaphore_set_multicast(get_semaphore(0), flags, num_told);
        }
        if (fault != PUSH_BEFORE_FLUSH) {
            noc_async_writes_flushed();
        }
        cb_push_back(cb_in, 1);  // AT PUSH_BEFORE_FLUSH
    }
    if (fault != NO_LAST_BARRIER) {
        noc_async_write_barrier();
    }
}  // AT NO_LAST_BARRIER
"""

RECEIVER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t sender_x = get_arg_val<uint32_t>(2);
    const uint32_t sender_y = get_arg_val<uint32_t>(3);
    auto there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint64_t ready = get_noc_addr(sender_x, sender_y, get_semaphore(1));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_reserve_back(0, 1);
        if (fault != RESET_AFTER_READY) {
            noc_semaphore_set(there, 0);
        }
        if (fault != SKIP_READY || tile + 1 < num_tiles) {
            noc_semaphore_inc(ready, 1);
        }
        if (fault == RESET_AFTER_READY) {
            noc_semaphore_set(there, 0);  // AT RESET_AFTER_READY
        }
        noc_semaphore_wait(there, 1);  // AT SKIP_FLAG RESET_AFTER_READY
        cb_push_back(0, 1);
    }
    noc_async_atomic_barrier();
}
"""

WRITER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_wait_front(0, 1);
        noc_async_write_page(first_tile + tile, dst, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
"""


@dataclasses.dataclass(frozen=True)
class Multicast:
    """A legal program."""

    width: int
    height: int
    tiles: int
    depth: int
    order: int
    in_rectangle: bool  # the sender is one of the cores it sends to
    second_noc: bool

    @property
    def rectangle(self) -> list[Core]:
        left = 0 if self.in_rectangle else 1
        return [(left + x, y) for y in range(self.height) for x in range(self.width)]


@st.composite
def multicasts(draw: st.DrawFn) -> Multicast:
    in_rectangle = draw(st.booleans())
    width = draw(st.integers(2 if in_rectangle else 1, 4))
    return Multicast(
        width,
        draw(st.integers(1, 2)),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 3)),
        draw(st.sampled_from((LINKED, FLUSHED, BARRIER))),
        in_rectangle,
        draw(st.booleans()),
    )


def _swap_corners(multicast: Multicast) -> tuple[str, ...]:
    return ("noc-multicast-rectangle",) if len(multicast.rectangle) > 1 else ()


def _misses(multicast: Multicast) -> tuple[str, ...]:
    """At least one receiver remains: the sender is none."""
    receives_elsewhere = multicast.width > (2 if multicast.in_rectangle and multicast.height == 1 else 1)
    return ("noc-multicast-misses",) if receives_elsewhere else ()


def _push_before_flush(multicast: Multicast) -> tuple[str, ...]:
    """With two pages the receivers' answer to the other one says that this one has left before it is filled again."""
    is_filled_again = multicast.order == LINKED and multicast.tiles > 1 and multicast.depth == 1
    return ("noc-push-in-flight", "noc-reuse-in-flight") if is_filled_again else ()


FAULTS = (
    Fault("COUNT_ONE_MORE", always("noc-multicast-count")),
    Fault("COUNT_ZERO", always("noc-multicast-no-receiver")),
    Fault("DATA_MISSES", _misses),
    Fault("FLAG_MISSES", _misses),
    Fault("SWAP_CORNERS", _swap_corners),
    Fault("PUSH_BEFORE_FLUSH", _push_before_flush),
    Fault("NOT_IN_ORDER", always("noc-multicast-order"), archs=(BLACKHOLE,)),
    Fault("NO_LAST_BARRIER", always("noc-exit-in-flight")),
    Fault("SKIP_FLAG", always("hang-semaphore")),
    Fault("SKIP_READY", always("hang-semaphore")),
    Fault("RESET_AFTER_READY", always("semaphore-lost-reset")),
    Fault("READ_MULTICAST", always("noc-multicast-address")),
    Fault("ONE_CORE_TOO_FAR", always("noc-multicast-outside")),
)
NAMES = tuple(fault.name for fault in FAULTS)


def build(host: Host, multicast: Multicast, fault: str = "") -> Launch:
    """The program of a multicast, with one fault in it or none: every core writes all tiles."""
    sender: Core = (0, 0)
    others = [core for core in multicast.rectangle if core != sender]
    cores = [sender, *others]
    source, values = host.tiles(multicast.tiles)
    output = host.output_tiles(multicast.tiles * len(cores))
    number = number_of(fault, NAMES)
    end_x, end_y = multicast.rectangle[-1]
    too_far = int(fault == "ONE_CORE_TOO_FAR")  # a column of cores that the program does not have
    corners = [host.noc(multicast.rectangle[0]), host.noc((end_x + too_far, end_y))]
    if multicast.second_noc != (fault == "SWAP_CORNERS"):  # NoC 1 runs from the bottom right
        corners.reverse()
    sending = [number, multicast.tiles, multicast.order, int(multicast.in_rectangle), len(others)]
    sender_noc = ttnn.NOC.NOC_1 if multicast.second_noc else ttnn.NOC.NOC_0
    movers = {
        processor: ttnn.DataMovementConfigDescriptor(processor=processor, noc=noc)
        for processor, noc in (
            (ttnn.DataMovementProcessor.RISCV_1, sender_noc),
            (ttnn.DataMovementProcessor.RISCV_0, ttnn.NOC.NOC_0 if multicast.second_noc else ttnn.NOC.NOC_1),
        )
    }
    first, second = movers.values()
    writing = {core: [multicast.tiles, multicast.tiles * index] for index, core in enumerate(cores)}
    return host.launch(
        [source, output],
        np.hstack([values] * len(cores)),
        [
            host.kernel(
                "reader_sender",
                numbered(SENDER, NAMES),
                [*sending, *corners[0], *corners[1], multicast.height],
                [source],
                [sender],
                first,
            ),
            host.kernel(
                "reader_receiver",
                numbered(RECEIVER, NAMES),
                [number, multicast.tiles, *host.noc(sender)],
                (),
                others,
                first,
            ),
            host.kernel("writer", WRITER, writing, [output], cores, second),
        ],
        [host.cb(0, "pages", multicast.depth, cores=cores)],
        semaphores=2,
        cores=cores,
    )


MULTICASTS = Family(
    "multicasts",
    multicasts(),
    build,
    {"reader_sender": SENDER, "reader_receiver": RECEIVER, "writer": WRITER},
    FAULTS,
)
