# SPDX-License-Identifier: Apache-2.0
"""A transfer is under way until a barrier of its own kind; what happens to its memory before that is luck."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus.host import COPY, READER, WRITER, Host
from tests.bugs.corpus.model import BLACKHOLE, BugClass, Launch, Plain
from tilewright import ttnn

NOC_ORDER = BugClass("noc order")


@NOC_ORDER.bug("B30", "noc-push-in-flight", plain=Plain.RIGHT)
def push_before_the_read_barrier(host: Host) -> Iterator[Launch]:
    """Four pages are pushed while the reads into them are under way."""
    source, values = host.tiles(4)
    output = host.output_tiles(4)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        Noc noc;
        CircularBuffer in(0);
        in.reserve_back(4);
        for (uint32_t tile = 0; tile < 4; tile++) {
            noc.async_read(src, in, get_tile_size(0), {.page_id = tile}, {.offset_bytes = tile * get_tile_size(0)});
        }
        noc.async_read_barrier();                                                // +
        in.push_back(4);                                                         // BUG
        noc.async_read_barrier();                                                // -
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("compute", COPY, [4]),
            host.kernel("writer", WRITER, [4, 0], [output]),
        ],
        [host.cb(0, "in", 4), host.cb(16, "out", 2)],
    )


@NOC_ORDER.bug("B32", "noc-pop-in-flight", plain=Plain.RIGHT)
def pop_of_a_page_still_read_from(host: Host) -> Iterator[Launch]:
    """The writer rearranges a tile by reads from its own L1 and frees it before they are done."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        constexpr uint32_t face_bytes = 512;
        cb_wait_front(16, 1);
        cb_reserve_back(17, 1);
        for (uint32_t face = 0; face < 4; face++) {
            const uint32_t offset = face * face_bytes;
            noc_async_read(get_noc_addr(get_read_ptr(16) + offset), get_write_ptr(17) + offset, face_bytes);
        }
        noc_async_read_barrier();                                                // +
        cb_pop_front(16, 1);                                                     // BUG
        noc_async_read_barrier();                                                // -
        noc_async_write_page(0, dst, get_write_ptr(17));
        noc_async_write_barrier();
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [1, 0], [source]),
            host.kernel("compute", COPY, [1]),
            host.kernel("writer", writer, (), [output]),
        ],
        [host.cb(0, "in", 1), host.cb(16, "out", 1), host.cb(17, "rearranged", 1)],
    )


@NOC_ORDER.bug("B34", "noc-reuse-in-flight", plain=Plain.RIGHT)
def scratch_refilled_during_a_write(host: Host) -> Iterator[Launch]:
    """A scratch row is filled again while the write of its last contents is under way."""
    output = host.output(3, 8, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT)
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(0, 1);
        auto scratch = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
        for (uint32_t row = 0; row < 3; row++) {
            for (uint32_t i = 0; i < 8; i++) {
                scratch[i] = row * 8 + i;                                        // BUG
            }
            noc_async_write_page(row, dst, get_write_ptr(0));                    // BUG
            noc_async_writes_flushed();                                          // +
        }
        noc_async_write_barrier();
    }
    """
    yield host.launch(
        [output],
        np.arange(24).reshape(3, 8),
        [host.kernel("writer", writer, (), [output])],
        [host.cb(0, "scratch", 1, ttnn.uint32, page_size=32)],
    )


@NOC_ORDER.bug("B35", "noc-reuse-in-flight", plain=Plain.RIGHT)
def pad_overwritten_during_a_loop_back_read(host: Host) -> Iterator[Launch]:
    """A tile goes from DRAM to a pad and from the pad on; the next one overwrites the pad too early."""
    source, values = host.tiles(3)
    output = host.output_tiles(3)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(1, 1);
        const uint32_t pad = get_write_ptr(1);
        cb_reserve_back(0, 3);
        for (uint32_t tile = 0; tile < 3; tile++) {
            noc_async_read_page(tile, src, pad);                                 // BUG
            noc_async_read_barrier();
            noc_async_read(get_noc_addr(pad), get_write_ptr(0) + tile * get_tile_size(0), get_tile_size(0));   // BUG
            noc_async_read_barrier();                                            // +
        }
        noc_async_read_barrier();
        cb_push_back(0, 3);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("compute", COPY, [3]),
            host.kernel("writer", WRITER, [3, 0], [output]),
        ],
        [host.cb(0, "in", 3), host.cb(1, "pad", 1), host.cb(16, "out", 2)],
    )


MULTICAST_RECEIVER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t sender_x = get_arg_val<uint32_t>(1);
    const uint32_t sender_y = get_arg_val<uint32_t>(2);
    auto there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_reserve_back(0, 1);
        noc_semaphore_set(there, 0);
        noc_semaphore_inc(get_noc_addr(sender_x, sender_y, get_semaphore(1)), 1);
        noc_semaphore_wait(there, 1);
        cb_push_back(0, 1);
    }
    noc_async_atomic_barrier();
}
"""

# Reads tiles, gives each to its own compute kernel and to the two receivers. Lines of a bug are put in at the comments.
MULTICAST_SENDER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_tiles = get_arg_val<uint32_t>(0);
    const uint32_t first_x = get_arg_val<uint32_t>(1);
    const uint32_t first_y = get_arg_val<uint32_t>(2);
    const uint32_t last_x = get_arg_val<uint32_t>(3);
    const uint32_t last_y = get_arg_val<uint32_t>(4);
    constexpr uint32_t num_receivers = 2;
    constexpr auto src_args = TensorAccessorArgs<0>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    auto there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint64_t flags = get_noc_multicast_addr(first_x, first_y, last_x, last_y, get_semaphore(0));
    noc_semaphore_set(there, 1);
    for (uint32_t tile = 0; tile < num_tiles; tile++) {
        cb_reserve_back(0, 1);
        const uint32_t page = get_write_ptr(0);
        noc_async_read_page(tile, src, page);
        noc_async_read_barrier();
        noc_semaphore_wait(ready, num_receivers);
        noc_semaphore_set(ready, 0);
        const uint64_t pages = get_noc_multicast_addr(first_x, first_y, last_x, last_y, page);
        noc_async_write_multicast(page, pages, get_tile_size(0), num_receivers, LINKED);
        // BETWEEN
        noc_semaphore_set_multicast(get_semaphore(0), flags, num_receivers);
        // AFTER
        cb_push_back(0, 1);
    }
    noc_async_write_barrier();
}
"""


def multicast(host: Host, sender: str) -> Launch:
    """Every tile is written out by three cores: the sender and the two that get it from there."""
    cores = [(0, 0), (1, 0), (2, 0)]
    source, values = host.tiles(3)
    output = host.output_tiles(9)
    rectangle = [*host.noc(cores[1]), *host.noc(cores[2])]
    return host.launch(
        [source, output],
        np.hstack([values] * 3),
        [
            host.kernel("reader_sender", sender, [3, *rectangle], [source], cores[:1]),
            host.kernel("reader_receiver", MULTICAST_RECEIVER, [3, *host.noc(cores[0])], (), cores[1:]),
            host.kernel("compute", COPY, [3], (), cores),
            host.kernel("writer", WRITER, {core: [3, 3 * core[0]] for core in cores}, [output], cores),
        ],
        # One page: the next tile goes where the last one was.
        [host.cb(0, "in", 1, cores=cores), host.cb(16, "out", 1, cores=cores)],
        semaphores=2,
        cores=cores,
    )


@NOC_ORDER.bug("B37", "noc-push-in-flight", "noc-reuse-in-flight", plain=Plain.RIGHT)
def multicast_source_pushed_too_early(host: Host) -> Iterator[Launch]:
    """The multicast still reads a page that compute may already pop and the reader refill."""
    sender = (
        MULTICAST_SENDER.replace("LINKED", "true")
        .replace(
            "        noc_async_read_page(tile, src, page);", "        noc_async_read_page(tile, src, page);   // BUG"
        )
        .replace("        // AFTER", "        noc_async_writes_flushed();    // +")
        .replace("        cb_push_back(0, 1);", "        cb_push_back(0, 1);    // BUG")
    )
    yield multicast(host, sender)


@NOC_ORDER.bug("B38", "noc-credit-unordered", plain=Plain.RIGHT)
def credit_overtakes_the_payload(host: Host) -> Iterator[Launch]:
    """Data are written to the next core and its semaphore raised with nothing that orders the two."""
    sender_core, receiver_core = (0, 0), (1, 0)
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    sender = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t next_x = get_arg_val<uint32_t>(0);
        const uint32_t next_y = get_arg_val<uint32_t>(1);
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(16, 1);
        const uint32_t page = get_write_ptr(16);
        noc_async_read_page(0, src, page);
        noc_async_read_barrier();
        noc_async_write(page, get_noc_addr(next_x, next_y, page), get_tile_size(16));
        noc_async_write_barrier();                                               // +
        noc_semaphore_inc(get_noc_addr(next_x, next_y, get_semaphore(0)), 1);    // BUG
        noc_async_write_barrier();
        noc_async_atomic_barrier();
    }
    """
    receiver = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        cb_reserve_back(16, 1);
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
        cb_push_back(16, 1);
    }
    """
    both = [sender_core, receiver_core]
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_sender", sender, host.noc(receiver_core), [source], [sender_core]),
            host.kernel("reader_receiver", receiver, (), (), [receiver_core]),
            host.kernel("writer", WRITER, [1, 0], [output], [receiver_core]),
        ],
        [host.cb(16, "out", 1, cores=both)],
        semaphores=1,
        cores=both,
    )


@NOC_ORDER.bug("B39", "noc-multicast-order", plain=Plain.RIGHT, archs=(BLACKHOLE,))
def multicast_flag_overtakes_the_data(host: Host) -> Iterator[Launch]:
    """Data and flag are multicast unlinked, through two command buffers: not ordered on Blackhole."""
    sender = (
        MULTICAST_SENDER.replace("LINKED", "false")
        .replace("        // BETWEEN", "        noc_async_writes_flushed();    // +")
        .replace("flags, num_receivers);", "flags, num_receivers);    // BUG")
        .replace("        // AFTER", "        noc_async_writes_flushed();")
    )
    yield multicast(host, sender)


@NOC_ORDER.bug("B42", "noc-exit-in-flight", plain=Plain.RIGHT)
def exit_with_an_atomic_under_way(host: Host) -> Iterator[Launch]:
    """A kernel ends right after raising a remote semaphore."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    signaller_core, worker_core = (0, 0), (1, 0)
    signaller = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t worker_x = get_arg_val<uint32_t>(0);
        const uint32_t worker_y = get_arg_val<uint32_t>(1);
        noc_semaphore_inc(get_noc_addr(worker_x, worker_y, get_semaphore(0)), 1);    // BUG
        noc_async_atomic_barrier();                                              // +
    }                                                                            // BUG
    """
    worker = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
        cb_reserve_back(16, 1);
        noc_async_read_page(0, src, get_write_ptr(16));
        noc_async_read_barrier();
        cb_push_back(16, 1);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_signaller", signaller, host.noc(worker_core), (), [signaller_core]),
            host.kernel("reader_worker", worker, (), [source], [worker_core]),
            host.kernel("writer", WRITER, [1, 0], [output], [worker_core]),
        ],
        [host.cb(16, "out", 1, cores=[worker_core])],
        semaphores=1,
        cores=[signaller_core, worker_core],
    )


@NOC_ORDER.bug("B43", "l1-store-then-credit", plain=Plain.RIGHT)
def stores_not_landed_at_the_credit(host: Host) -> Iterator[Launch]:
    """A page is filled by the processor's stores and pushed at once; the consumer fetches it over the NoC."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(1, 1);
        noc_async_read_page(0, src, get_write_ptr(1));
        noc_async_read_barrier();
        auto from = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(1));
        cb_reserve_back(16, 1);
        auto to = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));
        for (uint32_t word = 0; word < get_tile_size(16) / 4; word++) {
            to[word] = from[word];                                               // BUG
        }
        [[maybe_unused]] const uint32_t landed = to[get_tile_size(16) / 4 - 1];  // +
        cb_push_back(16, 1);                                                     // BUG
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(1, "scratch", 1), host.cb(16, "out", 1)],
    )


@NOC_ORDER.bug("B44", "l1-stale-cache", plain=Plain.RIGHT, archs=(BLACKHOLE,))
def page_read_through_a_stale_cache(host: Host) -> Iterator[Launch]:
    """The writer reads a word of every page; after the wrap its cache still has the line of the first page there."""
    source = host.tensor(np.arange(24).reshape(3, 8), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT)
    output = host.output(1, 8, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT)
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        uint32_t sum = 0;
        for (uint32_t row = 0; row < 3; row++) {
            cb_wait_front(0, 1);
            invalidate_l1_cache();                                               // +
            sum += reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0))[1];    // BUG
            cb_pop_front(0, 1);
        }
        cb_reserve_back(16, 1);
        auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));
        for (uint32_t i = 0; i < 8; i++) {
            words[i] = sum;
        }
        noc_async_write_page(0, dst, get_write_ptr(16));
        noc_async_write_barrier();
    }
    """
    yield host.launch(
        [source, output],
        np.full((1, 8), 1 + 9 + 17),
        [
            host.kernel("reader", READER, [3, 0], [source]),
            host.kernel("writer", writer, (), [output]),
        ],
        [host.cb(0, "rows", 1, ttnn.uint32, page_size=64), host.cb(16, "sum", 1, ttnn.uint32, page_size=64)],
    )
