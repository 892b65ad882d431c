# SPDX-License-Identifier: Apache-2.0
"""Semaphores and multicasts: values that are overtaken, resets that lose signals, rectangles that do not add up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus.host import WRITER, Host
from tests.bugs.corpus.model import BugClass, Launch, Plain
from tests.bugs.corpus.noc_order import MULTICAST_SENDER, multicast

SEMAPHORES = BugClass("semaphores")


@SEMAPHORES.bug("B46", "semaphore-overshoot", plain=Plain.DEADLOCK, plain_text="raised past the value")
def equality_wait_overshot(host: Host) -> Iterator[Launch]:
    """The root counts a flag up without back-pressure; the worker waits for each value exactly."""
    root, worker = (0, 0), (1, 0)
    source, values = host.tiles(3)
    output = host.output_tiles(3)
    counting = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t worker_x = get_arg_val<uint32_t>(0);
        const uint32_t worker_y = get_arg_val<uint32_t>(1);
        const uint32_t step = get_semaphore(0);
        const uint64_t steps = get_noc_multicast_addr(worker_x, worker_y, worker_x, worker_y, step);
        for (uint32_t k = 0; k < 3; k++) {
            noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(step), k + 1);
            noc_semaphore_set_multicast(step, steps, 1);                         // BUG
            noc_async_writes_flushed();
        }
        noc_async_write_barrier();
    }
    """
    following = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        auto step = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
        for (uint32_t k = 0; k < 3; k++) {
            noc_semaphore_wait(step, k + 1);                                     // - BUG
            noc_semaphore_wait_min(step, k + 1);                                 // +
            cb_reserve_back(16, 1);
            noc_async_read_page(k, src, get_write_ptr(16));
            noc_async_read_barrier();
            cb_push_back(16, 1);
        }
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_root", counting, host.noc(worker), (), [root]),
            host.kernel("reader_worker", following, (), [source], [worker]),
            host.kernel("writer", WRITER, [3, 0], [output], [worker]),
        ],
        [host.cb(16, "out", 1, cores=[worker])],
        semaphores=1,
        cores=[root, worker],
    )


@SEMAPHORES.bug("B48", "semaphore-lost-reset", plain=Plain.RIGHT)
def reset_loses_an_increment(host: Host) -> Iterator[Launch]:
    """The root clears its counter at its start; a peer that was faster has already raised it."""
    root, peer = (0, 0), (1, 0)
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    waiting = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        auto arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
        noc_semaphore_set(arrived, 0);                                           // - BUG
        noc_semaphore_wait(arrived, 1);                                          // BUG
        cb_reserve_back(16, 1);
        noc_async_read_page(0, src, get_write_ptr(16));
        noc_async_read_barrier();
        cb_push_back(16, 1);
    }
    """
    arriving = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t root_x = get_arg_val<uint32_t>(0);
        const uint32_t root_y = get_arg_val<uint32_t>(1);
        noc_semaphore_inc(get_noc_addr(root_x, root_y, get_semaphore(0)), 1);    // BUG
        noc_async_atomic_barrier();
    }
    """
    # The root lies on the core that runs first, so that a plain run takes the order which works.
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader_root", waiting, (), [source], [root]),
            host.kernel("reader_peer", arriving, host.noc(root), (), [peer]),
            host.kernel("writer", WRITER, [1, 0], [output], [root]),
        ],
        [host.cb(16, "out", 1, cores=[root])],
        semaphores=1,
        cores=[root, peer],
    )


@SEMAPHORES.bug("B50", "noc-multicast-count", plain=Plain.RIGHT)
def receivers_counted_wrongly(host: Host) -> Iterator[Launch]:
    """A multicast to two cores announces three: the write barrier never gets its third acknowledgement."""
    call = "        noc_async_write_multicast(page, pages, get_tile_size(0), num_receivers, LINKED);"
    assert call in MULTICAST_SENDER
    sender = MULTICAST_SENDER.replace(
        call,
        "        noc_async_write_multicast(page, pages, get_tile_size(0), num_receivers + 1);    // - BUG\n"
        "        noc_async_write_multicast(page, pages, get_tile_size(0), num_receivers);    // +\n"
        "        noc_async_write_barrier();",
    )
    yield multicast(host, sender)


@SEMAPHORES.bug("B52", "noc-multicast-rectangle", plain=Plain.RIGHT)
def corners_of_the_other_noc(host: Host) -> Iterator[Launch]:
    """A kernel on NoC 1 gives the corners of its rectangle in the order of NoC 0."""
    sender_core, receivers = (0, 0), [(1, 0), (2, 0)]
    cores = [sender_core, *receivers]
    source, values = host.tiles(1)
    output = host.output_tiles(2)
    sender = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t start_x = get_arg_val<uint32_t>(0);
        const uint32_t start_y = get_arg_val<uint32_t>(1);
        const uint32_t end_x = get_arg_val<uint32_t>(2);
        const uint32_t end_y = get_arg_val<uint32_t>(3);
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        const uint32_t there = get_semaphore(0);
        cb_reserve_back(16, 1);
        const uint32_t page = get_write_ptr(16);
        noc_async_read_page(0, src, page);
        noc_async_read_barrier();
        const uint64_t pages = get_noc_multicast_addr(start_x, start_y, end_x, end_y, page);      // BUG
        noc_async_write_multicast(page, pages, get_tile_size(16), 2);            // BUG
        noc_async_write_barrier();
        noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(there), 1);
        const uint64_t flags = get_noc_multicast_addr(start_x, start_y, end_x, end_y, there);     // BUG
        noc_semaphore_set_multicast(there, flags, 2);                            // BUG
        noc_async_write_barrier();
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
    first, last = host.noc(receivers[0]), host.noc(receivers[1])
    yield host.launch(
        [source, output],
        np.hstack([values, values]),
        [
            host.kernel(
                "writer_sender",  # writers use NoC 1
                sender,
                host.pick(buggy=[*first, *last], fixed=[*last, *first]),
                [source],
                [sender_core],
            ),
            host.kernel("reader_receiver", receiver, (), (), receivers),
            host.kernel("writer", WRITER, {core: [1, core[0] - 1] for core in receivers}, [output], receivers),
        ],
        [host.cb(16, "out", 1, cores=cores)],
        semaphores=1,
        cores=cores,
    )


@SEMAPHORES.bug("B54", "l1-race", plain=Plain.RIGHT)
def spin_lock_on_a_raw_word(host: Host) -> Iterator[Launch]:
    """Reader and compute agree through a word of L1 that nothing orders."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(2, 1);
        auto go = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(2));    // -
        *go = 0;                                                                 // -
        cb_reserve_back(0, 1);
        noc_async_read_page(0, src, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        *go = 1;                                                                 // - BUG
        cb_push_back(2, 1);                                                      // +
    }
    """
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        auto go = reinterpret_cast<volatile uint32_t*>(uintptr_t(get_tile_address(2, 0)));    // -
        while (*go != 1) {                                                       // - BUG
        }                                                                        // -
        cb_wait_front(2, 1);                                                     // +
        cb_pop_front(2, 1);                                                      // +
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(0, "in", 1), host.cb(2, "go", 1, page_size=32), host.cb(16, "out", 1)],
    )
