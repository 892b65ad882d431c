# SPDX-License-Identifier: Apache-2.0
"""Pulls: a core fills a page and others read it out of its L1 over the NoC.

What varies: how many read it, tiles and their size, depths, the row of cores, and how the owner fills its page: by a
read or by stores as well.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import strategies as st

from tests.bugs.corpus.host import WRITER, Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, always, number_of, numbered
from tilewright import ttnn

OWNER_KERNEL = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t depth = get_arg_val<uint32_t>(2);
    const uint32_t stores = get_arg_val<uint32_t>(3);
    const uint32_t num_pullers = get_arg_val<uint32_t>(4);
    const uint32_t first_x = get_arg_val<uint32_t>(5);
    const uint32_t y = get_arg_val<uint32_t>(6);
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    const uint32_t tile_bytes = get_tile_size(0);
    auto done = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        if (fault != NO_DONE_AWAITED && tile >= depth) {
            noc_semaphore_wait_min(done, (tile - depth + 1) * num_pullers);
        }
        const uint32_t page = get_write_ptr(0) + tile % depth * tile_bytes;
        noc_async_read_page(tile, src, page);  // AT NO_DONE_AWAITED NO_WAIT DONE_BEFORE_BARRIER
        noc_async_read_barrier();
        if (stores) {
            auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(page);
            for (uint32_t i = 0; i < tile_bytes / 4; i++) {
                words[i] = words[i];  // AT NO_DONE_AWAITED NO_WAIT DONE_BEFORE_BARRIER
            }
        }
        for (uint32_t puller = 0; puller < num_pullers; puller++) {
            noc_semaphore_inc(get_noc_addr(first_x + puller, y, get_semaphore(0)), 1);
        }
    }
    noc_semaphore_wait_min(done, num_tiles * num_pullers);
    noc_async_atomic_barrier();
}
"""

PULLER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t depth = get_arg_val<uint32_t>(2);
    const uint32_t owner_x = get_arg_val<uint32_t>(3);
    const uint32_t owner_y = get_arg_val<uint32_t>(4);
    const uint32_t tile_bytes = get_tile_size(0);
    const uint32_t base = get_write_ptr(0);
    auto there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint64_t done = get_noc_addr(owner_x, owner_y, get_semaphore(1));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_reserve_back(16, 1);
        if (fault != NO_WAIT) {
            noc_semaphore_wait_min(there, tile + 1);
        }
        const uint64_t page = get_noc_addr(owner_x, owner_y, base + tile % depth * tile_bytes);
        noc_async_read(page, get_write_ptr(16), tile_bytes);  // AT NO_WAIT NO_DONE_AWAITED DONE_BEFORE_BARRIER
        if (fault == DONE_BEFORE_BARRIER) {
            noc_semaphore_inc(done, 1);
        }
        noc_async_read_barrier();
        if (fault != DONE_BEFORE_BARRIER) {
            noc_semaphore_inc(done, 1);
        }
        cb_push_back(16, 1);
    }
    noc_async_atomic_barrier();
}
"""


@dataclasses.dataclass(frozen=True)
class Pull:
    """A legal program."""

    pullers: int
    tiles: int
    depth: int
    stores: bool
    depth_out: int
    row: int
    dtype: ttnn.DataType

    @property
    def owner(self) -> Core:
        return 0, self.row


# With two pages and several readers, one that is ahead would be counted for one that is behind.
pulls = st.builds(
    lambda pullers, tiles, depth, *rest: Pull(pullers, tiles, depth if pullers == 1 else 1, *rest),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(1, 3),
    st.booleans(),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from((ttnn.bfloat16, ttnn.float32)),
)

FAULTS = (
    Fault("NO_WAIT", always("l1-race")),
    Fault("NO_DONE_AWAITED", lambda pull: ("l1-race",) if pull.tiles > pull.depth else ()),
    Fault("DONE_BEFORE_BARRIER", lambda pull: ("l1-race",) if pull.tiles > pull.depth else ()),
)
NAMES = tuple(fault.name for fault in FAULTS)


def build(host: Host, pull: Pull, fault: str = "") -> Launch:
    """The program of a pull, with one fault in it or none: every reader writes all tiles."""
    pullers = [(1 + index, pull.row) for index in range(pull.pullers)]
    source, values = host.tiles(pull.tiles, pull.dtype)
    output = host.output_tiles(pull.tiles * pull.pullers, pull.dtype)
    number = number_of(fault, NAMES)
    owning = [number, pull.tiles, pull.depth, int(pull.stores), pull.pullers, *host.noc(pullers[0])]
    pulling = [number, pull.tiles, pull.depth, *host.noc(pull.owner)]
    writing = {puller: [pull.tiles, pull.tiles * index] for index, puller in enumerate(pullers)}
    cores = [pull.owner, *pullers]
    return host.launch(
        [source, output],
        np.hstack([values] * pull.pullers),
        [
            host.kernel("reader_owner", numbered(OWNER_KERNEL, NAMES), owning, [source], [pull.owner]),
            host.kernel("reader_puller", numbered(PULLER, NAMES), pulling, (), pullers),
            host.kernel("writer", WRITER, writing, [output], pullers),
        ],
        [
            host.cb(0, "page", pull.depth, pull.dtype, cores=cores),
            host.cb(16, "out", pull.depth_out, pull.dtype, cores=cores),
        ],
        semaphores=2,
        cores=cores,
    )


PULLS = Family(
    "pulls",
    pulls,
    build,
    {"reader_owner": OWNER_KERNEL, "reader_puller": PULLER, "writer": WRITER},
    FAULTS,
)
