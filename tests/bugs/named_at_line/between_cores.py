# SPDX-License-Identifier: Apache-2.0
"""Races between cores, on L1 and on DRAM."""

from __future__ import annotations

import numpy as np

from tests.bugs.corpus.host import COPY, WRITER, Host
from tests.bugs.named_at_line.model import Launches, dataflow, twin

KIND = "races"
ROW = [(0, 0), (1, 0), (2, 0), (3, 0)]
WRITER_OF_5 = WRITER.replace("cb_out = 16", "cb_out = 5")


def neighbours(host: Host) -> dict[tuple[int, int], list[int]]:
    """A core's number, and where its right and its left neighbour are."""
    count = len(ROW)
    return {
        core: [index, *host.noc(ROW[(index + 1) % count]), *host.noc(ROW[(index - 1) % count])]
        for index, core in enumerate(ROW)
    }


@twin(KIND, "l1-race")
def ring_without_room(host: Host) -> Launches:
    """Pages go round a ring; who sends is not told that the page before has been passed on."""
    ring = """
    const uint32_t me = arg(0);
    const uint32_t own = get_write_ptr(0), in = get_write_ptr(1);
    noc_async_read_page(me, tensor0, own);
    noc_async_read_barrier();
    for (uint32_t k = 0; k < 3; k++) {
        if (k > 0) {
            noc_async_read(get_noc_addr(in), own, 2048);  // BUG
            noc_async_read_barrier();
            noc_semaphore_inc(get_noc_addr(arg(3), arg(4), get_semaphore(1)), 1);  // +
            noc_semaphore_wait_min(semaphore(1), k);                               // +
        }
        noc_async_write(own, get_noc_addr(arg(1), arg(2), in), 2048);  // BUG
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(arg(1), arg(2), get_semaphore(0)), 1);
        noc_semaphore_wait_min(semaphore(0), k + 1);
        noc_async_write_page(me * 3 + k, tensor1, in);  // BUG
        noc_async_write_barrier();
    }
    noc_async_atomic_barrier();
    """
    source, values = host.tiles(4)
    output = host.output_tiles(12)
    tiles = np.split(values, 4, axis=1)
    expected = np.concatenate([tiles[(me - k - 1) % 4] for me in range(4) for k in range(3)], axis=1)
    yield host.launch(
        [source, output],
        expected,
        [host.kernel("reader", dataflow(ring, tensors=2), neighbours(host), [source, output], ROW)],
        [host.cb(0, "own", 1, cores=ROW), host.cb(1, "in", 1, cores=ROW)],
        semaphores=2,
        cores=ROW,
    )


@twin(KIND, "l1-race")
def told_by_the_reader(host: Host) -> Launches:
    """A result is fetched when its core's reader has said so; compute may still be packing it."""
    owner, peer = (0, 0), (1, 0)
    tell = "noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);"
    read = f"""
    cb_reserve_back(0, 1);
    noc_async_read_page(0, tensor0, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
    {tell}  // -
    noc_async_atomic_barrier();
    """
    keep = f"""
    cb_wait_front(16, 1);
    {tell}  // +
    noc_semaphore_wait(semaphore(1), 1);
    noc_async_atomic_barrier();
    cb_pop_front(16, 1);
    """
    fetch = """
    noc_semaphore_wait(semaphore(0), 1);
    cb_reserve_back(5, 1);
    noc_async_read(get_noc_addr(arg(0), arg(1), get_read_ptr(16)), get_write_ptr(5), 2048);  // BUG
    noc_async_read_barrier();
    cb_push_back(5, 1);
    noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(1)), 1);
    noc_async_atomic_barrier();
    """
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    both = [owner, peer]
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", dataflow(read, tensors=1), host.noc(peer), [source], [owner]),
            host.kernel("compute", COPY, [1], (), [owner]),
            host.kernel("writer", dataflow(keep), host.noc(peer), (), [owner]),
            host.kernel("reader_peer", dataflow(fetch), host.noc(owner), (), [peer]),
            host.kernel("writer_peer", WRITER_OF_5, [1, 0], [output], [peer]),
        ],
        [host.cb(index, name, 1, cores=both) for index, name in ((0, "in"), (5, "got"), (16, "partial"))],
        semaphores=2,
        cores=both,
    )


@twin(KIND, "l1-race")
def ready_before_the_reservation(host: Host) -> Launches:
    """A receiver says that it is ready and reserves afterwards: compute may still use the page that comes."""
    sender, receivers = (0, 0), [(1, 0), (2, 0)]
    send = """
    for (uint32_t block = 0; block < 6; block++) {
        noc_async_read_page(block, tensor0, get_write_ptr(2));
        noc_async_read_barrier();
        noc_semaphore_wait(semaphore(0), 2);
        noc_semaphore_set(semaphore(0), 0);
        const uint32_t page = get_write_ptr(0) + block % 2 * 2048;
        const uint64_t there = get_noc_multicast_addr(arg(0), arg(1), arg(2), arg(3), page);
        noc_async_write_multicast(get_write_ptr(2), there, 2048, 2);  // BUG
        noc_async_write_barrier();
        noc_semaphore_set(semaphore(1), 1);
        const uint64_t flags = get_noc_multicast_addr(arg(0), arg(1), arg(2), arg(3), get_semaphore(1));
        noc_semaphore_set_multicast(get_semaphore(1), flags, 2);
        noc_async_write_barrier();
    }
    """
    receive = """
    for (uint32_t block = 0; block < 6; block++) {
        cb_reserve_back(0, 1);  // +
        noc_semaphore_set(semaphore(1), 0);
        noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);
        cb_reserve_back(0, 1);  // -
        noc_semaphore_wait(semaphore(1), 1);
        cb_push_back(0, 1);
    }
    noc_async_atomic_barrier();
    """
    source, values = host.tiles(6)
    output = host.output_tiles(12)
    everywhere = [sender, *receivers]
    rectangle = [*host.noc(receivers[0]), *host.noc(receivers[1])]
    yield host.launch(
        [source, output],
        np.concatenate([values, values], axis=1),
        [
            host.kernel("reader_sender", dataflow(send, tensors=1), rectangle, [source], [sender]),
            host.kernel("reader", dataflow(receive), host.noc(sender), (), receivers),
            host.kernel("compute", COPY, [6], (), receivers),
            host.kernel("writer", WRITER, {core: [6, 6 * i] for i, core in enumerate(receivers)}, [output], receivers),
        ],
        [
            host.cb(0, "in", 2, cores=everywhere),
            host.cb(2, "staging", 1, cores=[sender]),
            host.cb(16, "out", 2, cores=receivers),
        ],
        semaphores=2,
        cores=everywhere,
    )


@twin(KIND, "l1-race")
def cleared_by_a_third_core(host: Host) -> Launches:
    """One core clears a page, another puts data into it, and nothing says which comes first."""
    target, clearer, giver = (0, 0), (1, 0), (2, 0)
    clear = """
    for (uint32_t i = 0; i < 512; i++) {
        words(get_write_ptr(2))[i] = 0;
    }
    noc_async_write(get_write_ptr(2), get_noc_addr(arg(0), arg(1), get_write_ptr(5)), 2048);  // BUG
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(arg(2), arg(3), get_semaphore(1)), 1);
    noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    """
    give = """
    noc_async_read_page(0, tensor0, get_write_ptr(2));
    noc_async_read_barrier();
    noc_semaphore_wait(semaphore(1), 1);  // +
    noc_async_write(get_write_ptr(2), get_noc_addr(arg(0), arg(1), get_write_ptr(5)), 1024);  // BUG
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    """
    collect = "cb_reserve_back(5, 1); noc_semaphore_wait_min(semaphore(0), 2); cb_push_back(5, 1);"
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    everywhere = [target, clearer, giver]
    expected = values.copy()
    expected[16:] = 0
    yield host.launch(
        [source, output],
        expected,
        [
            host.kernel("reader_target", dataflow(collect), (), (), [target]),
            host.kernel("writer", WRITER_OF_5, [1, 0], [output], [target]),
            host.kernel("reader_clearer", dataflow(clear), [*host.noc(target), *host.noc(giver)], (), [clearer]),
            host.kernel("reader_giver", dataflow(give, tensors=1), host.noc(target), [source], [giver]),
        ],
        [host.cb(5, "sum", 1, cores=everywhere), host.cb(2, "staging", 1, cores=everywhere)],
        semaphores=2,
        cores=everywhere,
    )


@twin(KIND, "l1-race")
def flag_before_the_page(host: Host) -> Launches:
    """The signal is sent before the page it announces."""
    target, giver = (0, 0), (1, 0)
    tell = "noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);"
    give = f"""
    noc_async_read_page(0, tensor0, get_write_ptr(2));
    noc_async_read_barrier();
    {tell}  // -
    noc_async_write(get_write_ptr(2), get_noc_addr(arg(0), arg(1), get_write_ptr(5)), 2048);  // BUG
    noc_async_write_barrier();
    {tell}  // +
    noc_async_atomic_barrier();
    """
    collect = "cb_reserve_back(5, 1); noc_semaphore_wait(semaphore(0), 1); cb_push_back(5, 1);"
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    writer = WRITER_OF_5.replace("get_read_ptr(cb_out));", "get_read_ptr(cb_out));  // BUG")
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_target", dataflow(collect), (), (), [target]),
            host.kernel("writer", writer, [1, 0], [output], [target]),
            host.kernel("reader_giver", dataflow(give, tensors=1), host.noc(target), [source], [giver]),
        ],
        [host.cb(5, "page", 1, cores=[target, giver]), host.cb(2, "staging", 1, cores=[giver])],
        semaphores=1,
        cores=[target, giver],
    )


@twin(KIND, "l1-race")
def announced_by_a_third_core(host: Host) -> Launches:
    """A second core signals the first while a page for the first may still be on its way."""
    target, giver, herald = cores = [(0, 0), (1, 0), (2, 0)]
    give = """
    noc_async_read_page(0, tensor0, get_write_ptr(2));
    noc_async_read_barrier();
    noc_async_write(get_write_ptr(2), get_noc_addr(arg(0), arg(1), get_write_ptr(5)), 2048);  // BUG
    noc_async_writes_flushed();  // -
    noc_async_write_barrier();   // +
    noc_semaphore_inc(get_noc_addr(arg(2), arg(3), get_semaphore(0)), 1);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
    """
    tell = """
    noc_semaphore_wait(semaphore(0), 1);
    noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    """
    collect = "cb_reserve_back(5, 1); noc_semaphore_wait(semaphore(0), 1); cb_push_back(5, 1);"
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_target", dataflow(collect), (), (), [target]),
            host.kernel("writer", WRITER_OF_5, [1, 0], [output], [target]),
            host.kernel(
                "reader_giver", dataflow(give, tensors=1), [*host.noc(target), *host.noc(herald)], [source], [giver]
            ),
            host.kernel("reader_herald", dataflow(tell), host.noc(target), (), [herald]),
        ],
        [host.cb(5, "page", 1, cores=cores), host.cb(2, "staging", 1, cores=[giver])],
        semaphores=1,
        cores=cores,
    )


@twin(KIND, "dram-race")
def dram_page_announced_too_early(host: Host) -> Launches:
    """A page of DRAM is announced to another core when its write has left, not when it has arrived."""
    first, second = (0, 0), (1, 0)
    put = """
    noc_async_read_page(0, tensor0, get_write_ptr(5));
    noc_async_read_barrier();
    noc_async_write_page(0, tensor1, get_write_ptr(5));  // BUG
    noc_async_writes_flushed();  // -
    noc_async_write_barrier();   // +
    noc_semaphore_inc(get_noc_addr(arg(0), arg(1), get_semaphore(0)), 1);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
    """
    get = """
    cb_reserve_back(5, 1);
    noc_semaphore_wait(semaphore(0), 1);
    noc_async_read_page(0, tensor0, get_write_ptr(5));
    noc_async_read_barrier();
    cb_push_back(5, 1);
    """
    source, values = host.tiles(1)
    between, output = host.output_tiles(1), host.output_tiles(1)
    yield host.launch(
        [source, between, output],
        values,
        [
            host.kernel("reader_first", dataflow(put, tensors=2), host.noc(second), [source, between], [first]),
            host.kernel("reader_second", dataflow(get, tensors=1), (), [between], [second]),
            host.kernel("writer", WRITER_OF_5, [1, 0], [output], [second]),
        ],
        [host.cb(5, "page", 1, cores=[first, second])],
        semaphores=1,
        cores=[first, second],
    )
