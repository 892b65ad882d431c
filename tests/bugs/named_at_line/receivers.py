# SPDX-License-Identifier: Apache-2.0
"""Multicasts that reach no receiver, or not every waiting one."""

from __future__ import annotations

import numpy as np

from tests.bugs.corpus.host import WRITER, Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.named_at_line.model import Launches, dataflow, twin

KIND = "multicasts"
SENDER: Core = (0, 0)
WRITER_OF_5 = WRITER.replace("cb_out = 16", "cb_out = 5")

SEND = """
    noc_async_read_page(0, tensor0, get_write_ptr(5));
    noc_async_read_barrier();
    noc_semaphore_wait(semaphore(0), arg(0));
    const uint64_t pages = get_noc_multicast_addr(arg(1), arg(2), arg(3), arg(4), get_write_ptr(5));
    noc_async_write_multicast(get_write_ptr(5), pages, 2048, arg(5));  // BUG
    noc_async_write_barrier();
    noc_semaphore_set(semaphore(1), 1);
    const uint64_t flags = get_noc_multicast_addr(arg(6), arg(7), arg(8), arg(9), get_semaphore(1));
    noc_semaphore_set_multicast(get_semaphore(1), flags, arg(10));  // BUG
    noc_async_write_barrier();
"""
RECEIVE = """
    cb_reserve_back(5, 1);
    noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);
    noc_semaphore_wait(semaphore(1), 1);
    cb_push_back(5, 1);
    noc_async_atomic_barrier();
"""
Rectangle = tuple[Core, Core]


def multicast(
    host: Host, receivers: list[Core], data: Rectangle, flag: Rectangle, num_data: int, num_flag: int
) -> Launch:
    """One page to all receivers, data and flag by a multicast each."""
    source, values = host.tiles(1)
    output = host.output_tiles(len(receivers))
    corners = [[*host.noc(first), *host.noc(last)] for first, last in (data, flag)]
    everywhere = [SENDER, *receivers]
    return host.launch(
        [source, output],
        np.concatenate([values] * len(receivers), axis=1),
        [
            host.kernel(
                "reader_sender",
                dataflow(SEND, tensors=1),
                [len(receivers), *corners[0], num_data, *corners[1], num_flag],
                [source],
                [SENDER],
            ),
            host.kernel("reader", dataflow(RECEIVE), host.noc(SENDER), (), receivers),
            host.kernel("writer", WRITER_OF_5, {core: [1, i] for i, core in enumerate(receivers)}, [output], receivers),
        ],
        [host.cb(5, "page", 1, cores=everywhere)],
        semaphores=2,
        cores=everywhere,
    )


@twin(KIND, "noc-multicast-misses")
def column_instead_of_row(host: Host) -> Launches:
    """Rows and columns of the rectangle are mixed up: cores get it that have no part in the program."""
    row: Rectangle = ((1, 0), (2, 0))
    rectangle = host.pick(buggy=((0, 1), (0, 2)), fixed=row)
    yield multicast(host, list(row), rectangle, rectangle, 2, 2)


@twin(KIND, "noc-multicast-misses")
def flag_to_more_than_data(host: Host) -> Launches:
    """The last core gets the flag and no data."""
    row = [(1, 0), (2, 0), (3, 0)]
    data = host.pick(buggy=(row[0], row[1]), fixed=(row[0], row[2]))
    yield multicast(host, row, data, (row[0], row[2]), host.pick(buggy=2, fixed=3), 3)


@twin(KIND, "noc-multicast-misses")
def flag_to_one_row_of_two(host: Host) -> Launches:
    """The flag's rectangle begins a row too low."""
    block = [(1, 0), (2, 0), (1, 1), (2, 1)]
    flag = host.pick(buggy=((1, 1), (2, 1)), fixed=((1, 0), (2, 1)))
    yield multicast(host, block, ((1, 0), (2, 1)), flag, 4, host.pick(buggy=2, fixed=4))


@twin(KIND, "noc-multicast-no-receiver")
def zero_receivers(host: Host) -> Launches:
    """The number of receivers is that of a grid without its sender, and the grid has one core."""
    only: Rectangle = ((1, 0), (1, 0))
    yield multicast(host, [only[0]], only, only, host.pick(buggy=0, fixed=1), 1)


@twin(KIND, "noc-multicast-misses")
def sender_waits_too(host: Host) -> Launches:
    """The sender waits for the flag it sends, and the multicast leaves out its sender."""
    go = """
    const uint64_t flags = get_noc_multicast_addr(arg(1), arg(2), arg(3), arg(4), get_semaphore(0));
    if (arg(0) == 0) {
        noc_semaphore_set(semaphore(1), 1);
        noc_semaphore_set_multicast(get_semaphore(1), flags, 2);               // - BUG
        noc_semaphore_set_multicast_loopback_src(get_semaphore(1), flags, 3);  // +
        noc_async_write_barrier();
    }
    noc_semaphore_wait(semaphore(0), 1);
    cb_reserve_back(5, 1);
    noc_async_read_page(arg(0), tensor0, get_write_ptr(5));
    noc_async_read_barrier();
    cb_push_back(5, 1);
    """
    row = [(0, 0), (1, 0), (2, 0)]
    source, values = host.tiles(3)
    output = host.output_tiles(3)
    corners = [*host.noc(row[0]), *host.noc(row[2])]
    args = {core: [index, *corners] for index, core in enumerate(row)}
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", dataflow(go, tensors=1), args, [source], row),
            host.kernel("writer", WRITER_OF_5, {core: [1, i] for i, core in enumerate(row)}, [output], row),
        ],
        [host.cb(5, "page", 1, cores=row)],
        semaphores=2,
        cores=row,
    )
