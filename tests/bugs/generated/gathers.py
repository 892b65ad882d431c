# SPDX-License-Identifier: Apache-2.0
"""Gathers: workers put their pages side by side into a root's circular buffer, round after round.

What varies: workers, rounds, depth, whether the root clears the pages first, how it tells the workers to go (one by one
or by multicast), and whether it counts arrivals through all rounds or anew in each.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import WRITER, Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, always, number_of, numbered

ROOT: Core = (0, 0)

ROOT_KERNEL = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t rounds = get_arg_val<uint32_t>(1);
    const uint32_t num_workers = get_arg_val<uint32_t>(2);
    const uint32_t clears = get_arg_val<uint32_t>(3);
    const uint32_t by_multicast = get_arg_val<uint32_t>(4);
    const uint32_t counts_on = get_arg_val<uint32_t>(5);
    const uint32_t first_x = get_arg_val<uint32_t>(6);
    const uint32_t last_x = get_arg_val<uint32_t>(7);
    const uint32_t y = get_arg_val<uint32_t>(8);
    const uint32_t bytes = num_workers * get_tile_size(16);
    auto go = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t round = 0; round < rounds; round++) {
        if (fault != GO_BEFORE_RESERVE) {
            cb_reserve_back(16, num_workers);
        }
        if (clears && fault != CLEAR_AFTER_GO) {
            auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));
            for (uint32_t i = 0; i < bytes / 4; i++) {
                words[i] = 0;  // AT GO_BEFORE_RESERVE
            }
        }
        if (by_multicast) {
            noc_semaphore_set(go, round + 1);
            noc_semaphore_set_multicast(
                get_semaphore(0), get_noc_multicast_addr(first_x, y, last_x, y, get_semaphore(0)), num_workers);
            noc_async_write_barrier();
        } else {
            for (uint32_t worker = 0; worker < num_workers; worker++) {
                noc_semaphore_inc(get_noc_addr(first_x + worker, y, get_semaphore(0)), 1);
            }
        }
        if (fault == GO_BEFORE_RESERVE) {
            cb_reserve_back(16, num_workers);
        }
        if (clears && fault == CLEAR_AFTER_GO) {
            auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));
            for (uint32_t i = 0; i < bytes / 4; i++) {
                words[i] = 0;  // AT CLEAR_AFTER_GO
            }
        }
        const uint32_t awaited = num_workers - (fault == COUNT_SHORT ? 1 : 0);
        if (fault == RAISE_TWICE) {
            noc_semaphore_wait_min(arrived, round * (num_workers + 1) + num_workers);  // AT RAISE_TWICE
        } else if (fault == COUNT_SHORT) {
            noc_semaphore_wait_min(arrived, round * num_workers + awaited);  // AT COUNT_SHORT
        } else if (counts_on) {
            noc_semaphore_wait_min(arrived, round * num_workers + awaited);
        } else {
            noc_semaphore_wait(arrived, awaited);
            noc_semaphore_set(arrived, 0);
        }
        cb_push_back(16, num_workers);
    }
    noc_async_atomic_barrier();
}
"""

WORKER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t rounds = get_arg_val<uint32_t>(1);
    const uint32_t num_workers = get_arg_val<uint32_t>(2);
    const uint32_t index = get_arg_val<uint32_t>(3);
    const uint32_t fillings = get_arg_val<uint32_t>(4);
    const uint32_t root_x = get_arg_val<uint32_t>(5);
    const uint32_t root_y = get_arg_val<uint32_t>(6);
    const uint32_t raises_twice = get_arg_val<uint32_t>(7);
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    const uint32_t tile_bytes = get_tile_size(16);
    const uint32_t base = get_write_ptr(16);
    const uint32_t page = get_write_ptr(2);
    auto go = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint64_t arrived = get_noc_addr(root_x, root_y, get_semaphore(1));
    for (uint32_t round = 0; round < rounds; round++) {
        noc_async_read_page(round * num_workers + index, src, page);
        noc_async_read_barrier();
        if (fault != NO_GO) {
            noc_semaphore_wait_min(go, round + 1);
        }
        const uint32_t slot = round % fillings * num_workers + index;
        const uint64_t there = get_noc_addr(root_x, root_y, base + slot * tile_bytes);
        // NEXT AT NO_GO GO_BEFORE_RESERVE CLEAR_AFTER_GO COUNT_SHORT RAISE_TWICE
        noc_async_write(page, there, tile_bytes);
        noc_async_write_barrier();
        noc_semaphore_inc(arrived, 1);
        if (fault == RAISE_TWICE && raises_twice) {
            noc_semaphore_inc(arrived, 1);
        }
    }
    noc_async_atomic_barrier();
}
"""

# The writer reads what was gathered.
_READ = "get_read_ptr(cb_out));"
DRAIN = WRITER.replace(_READ, f"{_READ}  // AT NO_GO GO_BEFORE_RESERVE COUNT_SHORT RAISE_TWICE")


@dataclasses.dataclass(frozen=True)
class Gather:
    """A legal program."""

    workers: int
    rounds: int
    fillings: int  # how often all pages fit into the root's buffer
    clears: bool
    by_multicast: bool
    counts_on: bool
    twice: int  # who would raise twice


gathers = st.builds(
    lambda workers, rounds, fillings, clears, multicast, counts, twice: Gather(
        workers, rounds, fillings, clears, multicast, counts, twice % workers
    ),
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(1, 2),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 4),
)


def _before_reserve(gather: Gather) -> tuple[str, ...]:
    if gather.rounds <= gather.fillings:
        return ()
    return ("cb-write-unreserved",) if gather.clears else ("l1-race",)  # the root's own stores come first


FAULTS = (
    Fault("NO_GO", lambda gather: ("l1-race",) if gather.rounds > gather.fillings or gather.clears else ()),
    Fault("GO_BEFORE_RESERVE", _before_reserve),
    Fault("CLEAR_AFTER_GO", lambda gather: ("l1-race",) if gather.clears else ()),
    Fault("COUNT_SHORT", always("l1-race", "semaphore-shared")),
    Fault("RAISE_TWICE", always("l1-race", "semaphore-shared")),
)
NAMES = tuple(fault.name for fault in FAULTS)


def build(host: Host, gather: Gather, fault: str = "") -> Launch:
    """The program of a gather, with one fault in it or none: the output is the input."""
    workers = [(1 + index, 0) for index in range(gather.workers)]
    num_tiles = gather.workers * gather.rounds
    source, values = host.tiles(num_tiles)
    output = host.output_tiles(num_tiles)
    number = number_of(fault, NAMES)
    first, last = host.noc(workers[0]), host.noc(workers[-1])
    options = [int(gather.clears), int(gather.by_multicast), int(gather.counts_on)]
    working = {
        worker: [
            number,
            gather.rounds,
            gather.workers,
            index,
            gather.fillings,
            *host.noc(ROOT),
            int(index == gather.twice),
        ]
        for index, worker in enumerate(workers)
    }
    cores = [ROOT, *workers]
    return host.launch(
        [source, output],
        np.asarray(values),
        [
            host.kernel(
                "reader_root",
                numbered(ROOT_KERNEL, NAMES),
                [number, gather.rounds, gather.workers, *options, first[0], last[0], first[1]],
                (),
                [ROOT],
            ),
            host.kernel("reader_worker", numbered(WORKER, NAMES), working, [source], workers),
            host.kernel("writer", DRAIN, [num_tiles, 0], [output], [ROOT]),
        ],
        [
            host.cb(16, "gathered", gather.workers * gather.fillings, cores=cores),
            host.cb(2, "page", 1, cores=cores),
        ],
        semaphores=2,
        cores=cores,
    )


GATHERS = Family(
    "gathers",
    gathers,
    build,
    {"reader_root": ROOT_KERNEL, "reader_worker": WORKER, "writer": DRAIN},
    FAULTS,
)
