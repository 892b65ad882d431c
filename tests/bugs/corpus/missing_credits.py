# SPDX-License-Identifier: Apache-2.0
"""Pages that no kernel pushes where another waits: pushed on another core, by another thread, into an input."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bugs.corpus.host import READER, WRITER, Host
from tests.bugs.corpus.model import BugClass, Launch, Plain

MISSING_CREDITS = BugClass("missing credits")


@MISSING_CREDITS.bug("B12", "hang-missing-producer", plain=Plain.DEADLOCK, plain_text="c_1 stats has no producer")
def wait_without_a_push(host: Host) -> Iterator[Launch]:
    """Statistics are written from another core straight into a buffer; compute waits for a push of it."""
    root, peer = (0, 0), (1, 0)
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
        cb_reserve_back(2, 1);
        cb_push_back(2, 1);
    }
    """
    sender = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t root_x = get_arg_val<uint32_t>(0);
        const uint32_t root_y = get_arg_val<uint32_t>(1);
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(0, 1);
        noc_async_read_page(0, src, get_write_ptr(0));
        noc_async_read_barrier();
        noc_async_write(get_write_ptr(0), get_noc_addr(root_x, root_y, get_write_ptr(1)), get_tile_size(0));
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(root_x, root_y, get_semaphore(0)), 1);
        noc_async_atomic_barrier();
    }
    """
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        constexpr uint32_t cb_stats = 1;
        constexpr uint32_t cb_signal = 2;
        compute_kernel_hw_startup(cb_stats, 16);
        copy_init(cb_stats);
        cb_wait_front(cb_signal, 1);
        cb_wait_front(cb_stats, 1);                                              // - BUG
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(cb_stats, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(cb_signal, 1);
    }
    """
    both = [root, peer]
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), (), [root]),
            host.kernel("reader_sender", sender, host.noc(root), [source], [peer]),
            host.kernel("compute", compute, (), (), [root]),
            host.kernel("writer", WRITER, [1, 0], [output], [root]),
        ],
        [
            host.cb(0, "in", 1, cores=both),
            host.cb(1, "stats", 1, cores=both),
            host.cb(2, "signal", 1, page_size=32, cores=[root]),
            host.cb(16, "out", 1, cores=[root]),
        ],
        semaphores=1,
        cores=both,
    )


@MISSING_CREDITS.bug("B14", "cb-not-configured", plain=Plain.KERNEL_ERROR, plain_text="not configured on core (1,1)")
def kernel_on_phantom_core(host: Host) -> Iterator[Launch]:
    """Kernels go to the bounding box of an L-shaped grid; one core of it has no buffers."""
    shape = [(0, 0), (1, 0), (0, 1)]
    box = [*shape, (1, 1)]
    source, values = host.tiles(3)
    output = host.output_tiles(3)
    reader = READER.replace("cb_in = 0", "cb_in = 16").replace(
        "cb_reserve_back(cb_in, 1);", "cb_reserve_back(cb_in, 1);    // BUG"
    )
    work = {(0, 0): [1, 0], (1, 0): [1, 1], (0, 1): [1, 2], (1, 1): [1, 2]}
    cores = host.pick(buggy=box, fixed=shape)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, work, [source], cores),
            host.kernel("writer", WRITER, work, [output], shape),
        ],
        [host.cb(16, "out", 2, cores=shape)],
    )


@MISSING_CREDITS.bug("B15", "trisc-guard", plain=Plain.DEADLOCK)
def push_on_the_wrong_thread(host: Host) -> Iterator[Launch]:
    """Compute reserves and pushes under the guard of the unpack thread, where both do nothing on a card."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_wait_front(0, 1);
    #ifdef TRISC_UNPACK                                                          // -
    #ifdef TRISC_PACK                                                            // +
        cb_reserve_back(16, 1);                                                  // BUG
    #endif
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
    #ifdef TRISC_UNPACK                                                          // -
    #ifdef TRISC_PACK                                                            // +
        cb_push_back(16, 1);                                                     // BUG
    #endif
        cb_pop_front(0, 1);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [1, 0], [source]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(0, "in", 1), host.cb(16, "out", 1)],
    )


@MISSING_CREDITS.bug("B17", "hang-self", plain=Plain.DEADLOCK, plain_text="c_1 sum")
def accumulates_into_what_it_reads(host: Host) -> Iterator[Launch]:
    """Room for the new sums is asked for in bulk before the old ones, in the same buffer, are popped.

    The unpack thread pops on while the pack thread waits, but no further ahead of it than DST has halves.
    """
    source, values = host.tiles(9)  # three rounds of three tiles
    output = host.output_tiles(3)
    compute = """
    #include "api/compute/eltwise_binary.h"
    #include "api/compute/tile_move_copy.h"

    void copy_three(uint32_t from, uint32_t to) {
        copy_init(from);
        for (uint32_t tile = 0; tile < 3; tile++) {
            cb_wait_front(from, 1);
            cb_reserve_back(to, 1);
            tile_regs_acquire();
            copy_tile(from, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, to);
            tile_regs_release();
            cb_push_back(to, 1);
            cb_pop_front(from, 1);
        }
    }

    void kernel_main() {
        constexpr uint32_t cb_in = 0;
        constexpr uint32_t cb_sum = 1;
        compute_kernel_hw_startup(cb_in, cb_sum, cb_sum);
        copy_three(cb_in, cb_sum);
        for (uint32_t round = 1; round < 3; round++) {
            add_init(cb_in, cb_sum);
            cb_reserve_back(cb_sum, 3);                                          // - BUG
            for (uint32_t tile = 0; tile < 3; tile++) {
                cb_wait_front(cb_in, 1);
                cb_wait_front(cb_sum, 1);
                tile_regs_acquire();
                add_tiles(cb_in, cb_sum, 0, 0, 0);
                tile_regs_commit();
                cb_pop_front(cb_in, 1);
                cb_pop_front(cb_sum, 1);
                cb_reserve_back(cb_sum, 1);                                      // +
                tile_regs_wait();
                pack_tile(0, cb_sum);
                tile_regs_release();
                cb_push_back(cb_sum, 1);                                         // +
            }
            cb_push_back(cb_sum, 3);                                             // -
        }
        copy_three(cb_sum, 16);
    }
    """
    yield host.launch(
        [source, output],
        values[:, :96] + values[:, 96:192] + values[:, 192:],
        [
            host.kernel("reader", READER, [9, 0], [source]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [3, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(1, "sum", 3), host.cb(16, "out", 2)],
    )
