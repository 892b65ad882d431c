# SPDX-License-Identifier: Apache-2.0
"""Circular buffers used against their contract: pages outside the window, two owners, pages never given back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus import python_kernels
from tests.bugs.corpus.host import COPY, READER, WRITER, Host
from tests.bugs.corpus.model import BugClass, Launch, Plain
from tilewright import ttnn

CONTRACT = BugClass("contract")


@CONTRACT.bug("B18", "cb-two-consumers", plain=Plain.RIGHT)
def two_consumers_one_token(host: Host) -> Iterator[Launch]:
    """Compute and writer both wait for one token; if compute pops it first, the writer hangs."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(8, 1);
        cb_push_back(8, 1);
        cb_reserve_back(9, 1);                                                   // +
        cb_push_back(9, 1);                                                      // +
        cb_reserve_back(0, 1);
        noc_async_read_page(0, src, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
    """
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_wait_front(8, 1);                                                     // BUG
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
        cb_pop_front(8, 1);                                                      // BUG
    }
    """
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        cb_wait_front(8, 1);                                                     // - BUG
        cb_wait_front(9, 1);                                                     // +
        cb_pop_front(9, 1);                                                      // +
        cb_wait_front(16, 1);
        noc_async_write_page(0, dst, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
    """
    # The writer comes before compute here, so that the order which works is the one a plain run takes.
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("writer", writer, (), [output]),
            host.kernel("compute", compute),
        ],
        [
            host.cb(0, "in", 1),
            host.cb(8, "token", 1, page_size=32),
            host.cb(9, "writer_token", 1, page_size=32),
            host.cb(16, "out", 1),
        ],
    )


@CONTRACT.bug("B19", "cb-two-producers", plain=Plain.RIGHT)
def scratch_shared_by_both_movers(host: Host) -> Iterator[Launch]:
    """Reader and writer use one buffer, each as its private scratch."""
    meta = host.tensor(np.array([[0] * 8, [1] * 8]), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT)  # tile to read, tile to write
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    mover = """
    #include "api/dataflow/dataflow_api.h"

    uint32_t tile_of(uint32_t row) {
        constexpr auto meta_args = TensorAccessorArgs<0>();
        const auto meta = TensorAccessor(meta_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(cb_meta, 1);                                             // BUG
        noc_async_read_page(row, meta, get_write_ptr(cb_meta));                  // BUG
        noc_async_read_barrier();
        const uint32_t tile = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_meta));
        cb_push_back(cb_meta, 1);                                                // BUG
        return tile;
    }
    """
    reader = (
        mover.replace("cb_meta", "2")
        + """
    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<TensorAccessorArgs<0>().next_compile_time_args_offset()>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(1));
        const uint32_t tile = tile_of(0);
        cb_reserve_back(16, 1);
        noc_async_read_page(tile, src, get_write_ptr(16));
        noc_async_read_barrier();
        cb_push_back(16, 1);
    }
    """
    )
    writer = (
        mover.replace("cb_meta", host.pick(buggy="2", fixed="3"))
        + """
    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<TensorAccessorArgs<0>().next_compile_time_args_offset()>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(1));
        const uint32_t tile = tile_of(1);
        cb_wait_front(16, 1);
        noc_async_write_page(tile, dst, get_read_ptr(16));
        noc_async_write_page(1 - tile, dst, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
    """
    )
    yield host.launch(
        [meta, source, output],
        np.hstack([values[:, :32], values[:, :32]]),
        [
            host.kernel("reader", reader, (), [meta, source]),
            host.kernel("writer", writer, (), [meta, output]),
        ],
        [
            host.cb(2, "meta", 2, ttnn.uint32, page_size=64),
            host.cb(3, "writer_meta", 2, ttnn.uint32, page_size=64),
            host.cb(16, "out", 1),
        ],
    )


@CONTRACT.bug("B21", "cb-write-past-reserve", plain=Plain.RIGHT)
def write_past_the_reserved_window(host: Host) -> Iterator[Launch]:
    """Two pages are reserved and two blocks of two written."""
    source, values = host.tiles(4)
    output = host.output_tiles(4)
    reader = host.pick(buggy=python_kernels.read_two_blocks_into_one, fixed=python_kernels.read_two_blocks)
    yield host.launch(
        [source, output],
        values,
        [
            host.python_kernel("reader", reader, tensors={"source": source}),
            host.kernel("compute", COPY, [4]),
            host.kernel("writer", WRITER, [4, 0], [output]),
        ],
        [host.cb(0, "in", 4), host.cb(16, "out", 2)],
    )


@CONTRACT.bug("B22", "cb-write-unreserved", "cb-push-unreserved", plain=Plain.RIGHT)
def pack_without_reserve(host: Host) -> Iterator[Launch]:
    """Compute packs and pushes pages it never reserved."""
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        for (uint32_t tile = 0; tile < 2; tile++) {
            cb_wait_front(0, 1);
            tile_regs_acquire();
            copy_tile(0, 0, 0);
            tile_regs_commit();
            cb_pop_front(0, 1);
            cb_reserve_back(16, 1);                                              // +
            tile_regs_wait();
            pack_tile(0, 16);                                                    // BUG
            tile_regs_release();
            cb_push_back(16, 1);                                                 // BUG
        }
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [2, 0], [source]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(16, "out", 2)],
    )


@CONTRACT.bug("B24", "cb-index-wrap", plain=Plain.KERNEL_ERROR, plain_text="an index does not wrap")
def index_across_the_wrap(host: Host) -> Iterator[Launch]:
    """After a chunk of three, tiles 0 to 3 of the next chunk lie on both sides of the buffer's end."""
    source, values = host.tiles(7)
    output = host.output_tiles(7)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void copy_chunk(uint32_t chunk) {
        cb_reserve_back(16, chunk);
        tile_regs_acquire();
        cb_wait_front(0, chunk);                                                 // -
        for (uint32_t i = 0; i < chunk; i++) {
            copy_tile(0, i, i);                                                  // - BUG
            cb_wait_front(0, 1);                                                 // +
            copy_tile(0, 0, i);                                                  // +
            cb_pop_front(0, 1);                                                  // +
        }
        cb_pop_front(0, chunk);                                                  // -
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < chunk; i++) {
            pack_tile(i, 16);
        }
        tile_regs_release();
        cb_push_back(16, chunk);
    }

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        copy_chunk(3);
        copy_chunk(4);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [7, 0], [source]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [7, 0], [output]),
        ],
        [host.cb(0, "in", 4), host.cb(16, "out", 7)],
    )


@CONTRACT.bug("B25", "cb-left-over", plain=Plain.WRONG)
def waited_and_never_popped(host: Host) -> Iterator[Launch]:
    """The writer uses what it waited for and does not pop it: the second round reads the first one's page."""
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    writer = host.pick(buggy=python_kernels.write_and_keep, fixed=python_kernels.write_and_pop)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [2, 0], [source]),
            host.kernel("compute", COPY, [2]),
            host.python_kernel("writer", writer, {"num_rounds": 2}, {"target": output}),
        ],
        [host.cb(0, "in", 2), host.cb(16, "out", 2)],
    )


@CONTRACT.bug("B27", "cb-write-past-reserve", "l1-outside-buffer", plain=Plain.WRONG)
def filled_with_the_global_chunk(host: Host) -> Iterator[Launch]:
    """A buffer sized for the local chunk gets the global one: the next buffer in L1 is overwritten."""
    source, values = host.tiles(4)
    bias, bias_values = host.tiles(1)
    output = host.output_tiles(2)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t chunk = get_arg_val<uint32_t>(0);
        constexpr auto src_args = TensorAccessorArgs<0>();
        constexpr auto bias_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        const auto bias = TensorAccessor(bias_args, get_common_arg_val<uint32_t>(1));
        cb_reserve_back(1, 1);
        noc_async_read_page(0, bias, get_write_ptr(1));
        noc_async_read_barrier();
        cb_push_back(1, 1);
        cb_reserve_back(0, 2);
        for (uint32_t tile = 0; tile < chunk; tile++) {
            noc_async_read_page(tile, src, get_write_ptr(0) + tile * get_tile_size(0));   // BUG
        }
        noc_async_read_barrier();
        cb_push_back(0, 2);
    }
    """
    compute = """
    #include "api/compute/eltwise_binary.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 1, 16);
        add_init(0, 1);
        cb_wait_front(0, 2);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 2);
        tile_regs_acquire();
        add_tiles(0, 1, 0, 0, 0);
        add_tiles(0, 1, 1, 0, 1);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        pack_tile(1, 16);
        tile_regs_release();
        cb_push_back(16, 2);
        cb_pop_front(1, 1);
        cb_pop_front(0, 2);
    }
    """
    yield host.launch(
        [source, bias, output],
        values[:, :64] + np.hstack([bias_values, bias_values]),
        [
            host.kernel("reader", reader, [host.pick(buggy=4, fixed=2)], [source, bias]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(1, "bias", 1), host.cb(16, "out", 2)],
    )


@CONTRACT.bug(
    "B28",
    "cb-counter-wrap",
    plain=Plain.RIGHT,
)
def sixteen_bit_counter_in_32_bits(host: Host) -> Iterator[Launch]:
    """Free pages are computed from 16-bit counters in 32 bits: wrong after 65536 pages."""
    output = host.output(1, 8, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    #ifdef BY_HAND
    void reserve_one(uint32_t cb, uint32_t capacity) {
        volatile tt_reg_ptr uint32_t* received = get_cb_tiles_received_ptr(cb);
        volatile tt_reg_ptr uint32_t* acked = get_cb_tiles_acked_ptr(cb);
        uint32_t free_pages;
        do {
            invalidate_l1_cache();
            free_pages = capacity - (uint16_t(*received) - uint16_t(*acked));    // BUG
        } while (free_pages < 1);
    }
    #endif

    void kernel_main() {
        const uint32_t num_pages = get_arg_val<uint32_t>(0);
        for (uint32_t page = 0; page < num_pages; page++) {
            reserve_one(0, 4);                                                   // -
            cb_reserve_back(0, 1);                                               // +
            *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0)) = page;
            cb_push_back(0, 1);                                                  // BUG
        }
    }
    """.replace("#ifdef BY_HAND", host.pick(buggy="#if 1", fixed="#if 0"))
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t num_pages = get_arg_val<uint32_t>(0);
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        uint32_t out_of_order = 0;
        for (uint32_t page = 0; page < num_pages; page++) {
            cb_wait_front(0, 1);
            invalidate_l1_cache();
            out_of_order += *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0)) != page;
            cb_pop_front(0, 1);
        }
        cb_reserve_back(16, 1);
        auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));
        for (uint32_t i = 0; i < 8; i++) {
            words[i] = out_of_order;
        }
        noc_async_write_page(0, dst, get_write_ptr(16));
        noc_async_write_barrier();
    }
    """
    yield host.launch(
        [output],
        np.zeros((1, 8)),
        [
            host.kernel("reader", reader, [65540]),
            host.kernel("writer", writer, [65540], [output]),
        ],
        [host.cb(0, "pages", 4, ttnn.uint32, page_size=16), host.cb(16, "count", 1, ttnn.uint32, page_size=32)],
    )
