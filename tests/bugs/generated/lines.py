# SPDX-License-Identifier: Apache-2.0
"""Lines of two to six cores, straight or with turns: each hands its pages to the next one over the NoC, with semaphores
in both directions.

What varies: cores, where the line turns, blocks, pages, depths, and the protocol: flags that are set back, counts that
grow by increments, or values that are written. The receiver says how many pages it has room for before they are sent,
so no kernel runs ahead.
"""

from __future__ import annotations

import dataclasses
import itertools

from hypothesis import strategies as st

from tests.bugs.corpus.host import Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.generated.model import Family, Fault, always, number_of, numbered

FLAGS, COUNTS, VALUES = range(3)

SOURCE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t block = get_arg_val<uint32_t>(1);
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    for (uint32_t done = 0; done < num_tiles; done += block) {
        cb_reserve_back(0, block);
        for (uint32_t i = 0; i < block; i++) {
            noc_async_read_page(done + i, src, get_write_ptr(0) + i * get_tile_size(0));
        }
        noc_async_read_barrier();
        cb_push_back(0, block);
    }
}
"""

SENDER = """
#include "api/dataflow/dataflow_api.h"

enum : uint32_t { FLAGS, COUNTS, VALUES };

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t block = get_arg_val<uint32_t>(2);
    const uint32_t depth = get_arg_val<uint32_t>(3);
    const uint32_t protocol = get_arg_val<uint32_t>(4);
    const uint32_t next_x = get_arg_val<uint32_t>(5);
    const uint32_t next_y = get_arg_val<uint32_t>(6);
    const uint32_t tile_bytes = get_tile_size(0);
    const uint32_t base = get_write_ptr(0);  // the buffer lies at the same address on every core
    const uint32_t ready_id = fault == SHARE_SEMAPHORE ? 1 : 0;
    auto ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(ready_id));
    const uint64_t valid = get_noc_addr(next_x, next_y, get_semaphore(1));
    for (uint32_t sent = 0; sent < num_tiles; sent += block) {
        const bool last = sent + block == num_tiles;
        cb_wait_front(0, block);
        if (fault == RUN_AHEAD) {
        } else if (protocol == FLAGS) {
            noc_semaphore_wait(ready, 1);  // AT SKIP_READY SHARE_SEMAPHORE
            noc_semaphore_set(ready, 0);  // AT SHARE_SEMAPHORE
        } else {
            noc_semaphore_wait_min(ready, sent + block);  // AT SKIP_READY
        }
        for (uint32_t i = 0; i < block; i++) {
            const uint32_t there = base + ((sent + i) % depth) * tile_bytes;
            noc_async_write(get_read_ptr(0) + i * tile_bytes, get_noc_addr(next_x, next_y, there), tile_bytes);
        }
        if (fault == SEND_OUTSIDE) {
            const uint32_t outside = (base & ~0x1fffffu) | 0x120000u;
            noc_async_write(get_read_ptr(0), get_noc_addr(next_x, next_y, outside), 64);  // AT SEND_OUTSIDE
        }
        if (fault == POP_TOO_EARLY) {
            cb_pop_front(0, block);  // AT POP_TOO_EARLY
        }
        if (fault != NO_FLUSH) {
            noc_async_write_barrier();
        }
        if (fault == SKIP_SIGNAL && last) {
        } else if (protocol == FLAGS) {
            noc_semaphore_inc(valid, 1);  // AT NO_FLUSH NO_ATOMIC_BARRIER
        } else if (protocol == COUNTS) {
            noc_semaphore_inc(valid, block);  // AT NO_FLUSH NO_ATOMIC_BARRIER
        } else {
            noc_inline_dw_write(valid, sent + block);
            noc_async_write_barrier();
        }
        if (fault != POP_TOO_EARLY) {
            noc_async_write_barrier();
            cb_pop_front(0, block);
        }
    }
    noc_async_write_barrier();
    if (fault != NO_ATOMIC_BARRIER) {
        noc_async_atomic_barrier();
    }
}  // AT NO_ATOMIC_BARRIER
"""

RECEIVER = """
#include "api/dataflow/dataflow_api.h"

enum : uint32_t { FLAGS, COUNTS, VALUES };

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t block = get_arg_val<uint32_t>(2);
    const uint32_t protocol = get_arg_val<uint32_t>(3);
    const uint32_t before_x = get_arg_val<uint32_t>(4);
    const uint32_t before_y = get_arg_val<uint32_t>(5);
    const uint32_t ready_id = fault == SHARE_SEMAPHORE ? 1 : 0;
    const uint64_t ready = get_noc_addr(before_x, before_y, get_semaphore(ready_id));
    auto valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t received = 0; received < num_tiles; received += block) {
        const bool last = received + block == num_tiles;
        cb_reserve_back(0, block);
        if (fault != SKIP_READY || !last) {
            noc_semaphore_inc(ready, protocol == FLAGS ? 1 : block);
        }
        if (fault == RESET_TOO_EARLY) {
            noc_semaphore_set(valid, 0);  // AT RESET_TOO_EARLY
        }
        if (protocol == FLAGS) {
            noc_semaphore_wait(valid, 1);  // AT SKIP_SIGNAL SHARE_SEMAPHORE RESET_TOO_EARLY
            noc_semaphore_set(valid, 0);  // AT SHARE_SEMAPHORE
        } else if (fault == RUN_AHEAD) {
            noc_semaphore_wait(valid, received + block);  // AT RUN_AHEAD
        } else {
            noc_semaphore_wait_min(valid, received + block);  // AT SKIP_SIGNAL
        }
        cb_push_back(0, block);
    }
    noc_async_atomic_barrier();
}
"""

LAST = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t block = get_arg_val<uint32_t>(1);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
    for (uint32_t done = 0; done < num_tiles; done += block) {
        cb_wait_front(0, block);
        for (uint32_t i = 0; i < block; i++) {
            noc_async_write_page(done + i, dst, get_read_ptr(0) + i * get_tile_size(0));
        }
        noc_async_write_barrier();
        cb_pop_front(0, block);
    }
}
"""


@dataclasses.dataclass(frozen=True)
class Line:
    """A legal program."""

    num_cores: int
    blocks: int
    block: int
    depth: int
    protocol: int
    row_length: int  # after as many cores the line turns, and goes back in the next row

    @property
    def cores(self) -> list[Core]:
        places = [divmod(index, self.row_length) for index in range(self.num_cores)]
        return [(x if y % 2 == 0 else self.row_length - 1 - x, y) for y, x in places]

    @property
    def tiles(self) -> int:
        return self.blocks * self.block


lines = st.builds(
    lambda cores, blocks, block, fillings, protocol, row_length: Line(
        cores, blocks, block, block * fillings, protocol, min(row_length, cores)
    ),
    st.integers(2, 6),
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from((FLAGS, COUNTS, VALUES)),
    st.integers(1, 6),
)


def _reset_too_early(line: Line) -> tuple[str, ...]:
    return ("semaphore-lost-reset",) if line.protocol != VALUES else ()


FAULTS = (
    Fault("SKIP_SIGNAL", always("hang-semaphore")),
    Fault("SKIP_READY", always("hang-semaphore")),
    Fault("NO_FLUSH", lambda line: ("noc-credit-unordered",) if line.protocol != VALUES else ()),
    Fault("NO_ATOMIC_BARRIER", lambda line: ("noc-exit-in-flight",) if line.protocol != VALUES else ()),
    Fault("POP_TOO_EARLY", always("noc-pop-in-flight")),
    Fault("SEND_OUTSIDE", always("l1-outside-buffer")),
    Fault("RUN_AHEAD", lambda line: ("semaphore-overshoot",) if line.protocol != FLAGS and line.blocks > 1 else ()),
    Fault("RESET_TOO_EARLY", _reset_too_early),
    Fault(
        "SHARE_SEMAPHORE", lambda line: ("semaphore-shared",) if line.protocol == FLAGS and line.num_cores > 2 else ()
    ),
)
NAMES = tuple(fault.name for fault in FAULTS)


def build(host: Host, line: Line, fault: str = "") -> Launch:
    """The program of a line, with one fault in it or none: the output is the input."""
    cores = line.cores
    source, values = host.tiles(line.tiles)
    output = host.output_tiles(line.tiles)
    work = [number_of(fault, NAMES), line.tiles, line.block]
    steps = list(itertools.pairwise(cores))
    sending = {core: [*work, line.depth, line.protocol, *host.noc(after)] for core, after in steps}
    receiving = {core: [*work, line.protocol, *host.noc(before)] for before, core in steps}
    return host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_source", SOURCE, work[1:], [source], cores[:1]),
            host.kernel("reader_receiver", numbered(RECEIVER, NAMES), receiving, (), cores[1:]),
            host.kernel("writer_sender", numbered(SENDER, NAMES), sending, (), cores[:-1]),
            host.kernel("writer_last", LAST, work[1:], [output], cores[-1:]),
        ],
        [host.cb(0, "pages", line.depth, cores=cores)],
        semaphores=2,
        cores=cores,
    )


LINES = Family(
    "lines",
    lines,
    build,
    {"reader_source": SOURCE, "reader_receiver": RECEIVER, "writer_sender": SENDER, "writer_last": LAST},
    FAULTS,
)
