# SPDX-License-Identifier: Apache-2.0
"""In-place work: a compute kernel doubles its tiles again and again where they lie.

What varies: cores, tiles, passes, depths, whether pages go through credits or stay where they are, with a buffer as a
signal from the pack thread to the unpack thread.
"""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from tests.bugs.corpus.host import READER, WRITER, Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, RulesFor, always, number_of, numbered

COMPUTE = """
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_binary.h"

void pack_page(uint32_t cb, uint32_t page) {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile<true>(0, cb, page);
    tile_regs_release();
}

void copy(uint32_t from, uint32_t page, uint32_t to, uint32_t to_page) {
    tile_regs_acquire();
    copy_tile(from, page, 0);  // AT NO_SIGNAL NO_WAIT_FOR_SIGNAL
    pack_page(to, to_page);
}

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t passes = get_arg_val<uint32_t>(2);
    const uint32_t through_credits = get_arg_val<uint32_t>(3);
    compute_kernel_hw_startup(0, 0, 16);
    copy_init(0);
    cb_reserve_back(1, tiles);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(0, 1);
        copy(0, 0, 1, tile);
        cb_pop_front(0, 1);
    }
    cb_push_back(1, tiles);
    if (fault != NO_WAIT) {
        cb_wait_front(1, tiles);
    }
    add_init(1, 1);
    for (uint32_t pass = 0; pass < passes; pass++) {
        for (uint32_t tile = 0; tile < tiles; tile++) {
            const uint32_t page = through_credits ? 0 : tile;
            if (through_credits && fault != NO_WAIT) {
                cb_wait_front(1, 1);
            }
            tile_regs_acquire();
            add_tiles(1, 1, page, page, 0);  // AT NO_SIGNAL NO_WAIT_FOR_SIGNAL NO_WAIT
            if (through_credits) {
                cb_pop_front(1, 1);  // AT NO_WAIT
                cb_reserve_back(1, 1);
            }
            pack_page(1, page);
            if (through_credits) {
                cb_push_back(1, 1);
            }
        }
        if (!through_credits && fault != NO_SIGNAL) {
            cb_reserve_back(3, 1);
            cb_push_back(3, 1);
            if (fault != NO_WAIT_FOR_SIGNAL) {
                cb_wait_front(3, 1);
            }
            cb_pop_front(3, 1);  // AT NO_WAIT_FOR_SIGNAL
        }
    }
    cb_wait_front(1, tiles);
    copy_init(1);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(16, 1);
        copy(1, tile, 16, 0);
        cb_push_back(16, 1);
    }
    cb_pop_front(1, tiles);
}
"""


@dataclasses.dataclass(frozen=True)
class Doubling:
    """A legal program."""

    tiles: int
    passes: int
    through_credits: bool
    depth_in: int
    depth_out: int
    num_cores: int

    @property
    def cores(self) -> list[Core]:
        return [(x, 0) for x in range(self.num_cores)]


doublings = st.builds(
    Doubling,
    st.integers(1, 5),
    st.integers(1, 3),
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
)


def _in_place(*rules: str) -> RulesFor:
    """Far apart, the two threads are kept in order by DST and the source registers."""
    return lambda doubling: rules if not doubling.through_credits and doubling.tiles <= 2 else ()


FAULTS = (
    Fault("NO_SIGNAL", _in_place("pack-unpack-order")),
    Fault("NO_WAIT_FOR_SIGNAL", _in_place("cb-pop-unwaited", "pack-unpack-order")),
    Fault("NO_WAIT", always("cb-read-past-wait", "cb-pop-unwaited", "pack-unpack-order")),
)
NAMES = tuple(fault.name for fault in FAULTS)


def build(host: Host, doubling: Doubling, fault: str = "") -> Launch:
    """The program of a doubling, with one fault in it or none."""
    cores = doubling.cores
    source, values = host.tiles(doubling.tiles * len(cores))
    output = host.output_tiles(doubling.tiles * len(cores))
    shares = {core: [doubling.tiles, doubling.tiles * index] for index, core in enumerate(cores)}
    args = [number_of(fault, NAMES), doubling.tiles, doubling.passes, int(doubling.through_credits)]
    return host.launch(
        [source, output],
        values * 2**doubling.passes,
        [
            host.kernel("reader", READER, shares, [source], cores),
            host.kernel("compute", numbered(COMPUTE, NAMES), args, (), cores),
            host.kernel("writer", WRITER, shares, [output], cores),
        ],
        [
            host.cb(0, "in", doubling.depth_in, cores=cores),
            host.cb(1, "work", doubling.tiles, cores=cores),
            host.cb(3, "signal", 1, cores=cores),
            host.cb(16, "out", doubling.depth_out, cores=cores),
        ],
        cores=cores,
    )


IN_PLACE = Family("in place", doublings, build, {"reader": READER, "compute": COMPUTE, "writer": WRITER}, FAULTS)
