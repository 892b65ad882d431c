# SPDX-License-Identifier: Apache-2.0
"""Producer and consumer disagree on how many pages there are: the program stops for ever, every time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus import python_kernels
from tests.bugs.corpus.host import READER, WRITER, Host
from tests.bugs.corpus.model import BugClass, Launch, Plain

CREDITS = BugClass("credits")


@CREDITS.bug("B01", "hang-finished-producer", plain=Plain.DEADLOCK, plain_text="reader pushed 10 pages in all")
def last_partial_chunk(host: Host) -> Iterator[Launch]:
    """A helper gets the full chunk size for the last, partial chunk."""
    source, values = host.tiles(10)
    output = host.output_tiles(10)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void copy_chunk(uint32_t cb_in, uint32_t cb_out, uint32_t chunk) {
        cb_wait_front(cb_in, chunk);                                             // BUG
        for (uint32_t tile = 0; tile < chunk; tile++) {
            cb_reserve_back(cb_out, 1);
            tile_regs_acquire();
            copy_tile(cb_in, tile, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
            cb_push_back(cb_out, 1);
        }
        cb_pop_front(cb_in, chunk);
    }

    void kernel_main() {
        const uint32_t num_tiles = get_arg_val<uint32_t>(0);
        constexpr uint32_t full_chunk = 4;
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        for (uint32_t done = 0; done < num_tiles; done += full_chunk) {
            copy_chunk(0, 16, full_chunk);                                       // - BUG
            const uint32_t left = num_tiles - done;                              // +
            copy_chunk(0, 16, left < full_chunk ? left : full_chunk);            // +
        }
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [10, 0], [source]),
            host.kernel("compute", compute, [10]),
            host.kernel("writer", WRITER, [10, 0], [output]),
        ],
        [host.cb(0, "in", 4), host.cb(16, "out", 2)],
    )


@CREDITS.bug("B02", "hang-finished-producer", plain=Plain.DEADLOCK, plain_text="reader pushed 5 pages in all")
def odd_count_even_step(host: Host) -> Iterator[Launch]:
    """Five tiles, taken two at a time."""
    source, values = host.tiles(5)
    output = host.output_tiles(5)
    compute = host.pick(buggy=python_kernels.copy_in_twos, fixed=python_kernels.copy_in_twos_and_the_rest)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [5, 0], [source]),
            host.python_kernel("compute", compute, {"num_tiles": 5}),
            host.kernel("writer", WRITER, [5, 0], [output]),
        ],
        [host.cb(0, "in", 4), host.cb(16, "out", 4)],
    )


@CREDITS.bug("B04", "hang-finished-producer", plain=Plain.DEADLOCK, plain_text="compute pushed 1 page in all")
def pushed_by_block_size(host: Host) -> Iterator[Launch]:
    """Four tiles are packed and block_size of them pushed."""
    source, values = host.tiles(4)
    output = host.output_tiles(4)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        [[maybe_unused]] const uint32_t block_size = get_arg_val<uint32_t>(0);
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_wait_front(0, 4);
        cb_reserve_back(16, 4);
        tile_regs_acquire();
        for (uint32_t i = 0; i < 4; i++) {
            copy_tile(0, i, i);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < 4; i++) {
            pack_tile(i, 16);
        }
        tile_regs_release();
        cb_push_back(16, block_size);                                            // - BUG
        cb_push_back(16, 4);                                                     // +
        cb_pop_front(0, 4);
    }
    """
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        cb_wait_front(16, 4);                                                    // BUG
        for (uint32_t i = 0; i < 4; i++) {
            noc_async_write_page(i, dst, get_read_ptr(16) + i * get_tile_size(16));
        }
        noc_async_write_barrier();
        cb_pop_front(16, 4);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [4, 0], [source]),
            host.kernel("compute", compute, [1]),
            host.kernel("writer", writer, (), [output]),
        ],
        [host.cb(0, "in", 4), host.cb(16, "out", 4)],
    )


@CREDITS.bug("B06", "hang-finished-producer", plain=Plain.DEADLOCK, plain_text="reader pushed 4 pages in all")
def batch_counted_twice(host: Host) -> Iterator[Launch]:
    """The host passes the batch to compute although the height already has it."""
    batch, height_tiles, width_tiles = 2, 2, 2  # height_tiles = batch * 1
    source, values = host.tiles(height_tiles * width_tiles)
    output = host.output_tiles(height_tiles * width_tiles)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        const uint32_t batch = get_arg_val<uint32_t>(0);
        const uint32_t height_tiles = get_arg_val<uint32_t>(1);
        const uint32_t width_tiles = get_arg_val<uint32_t>(2);
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        for (uint32_t tile = 0; tile < batch * height_tiles * width_tiles; tile++) {
            cb_wait_front(0, 1);                                                 // BUG
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
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [4, 0], [source]),
            host.kernel("compute", compute, [host.pick(buggy=batch, fixed=1), height_tiles, width_tiles]),
            host.kernel("writer", WRITER, [4, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(16, "out", 2)],
    )


@CREDITS.bug("B07", "hang-full-buffer", plain=Plain.DEADLOCK, plain_text="c_1 bias")
def bias_pushed_per_batch(host: Host) -> Iterator[Launch]:
    """The bias is pushed for every batch and popped after all of them."""
    source, values = host.tiles(2)
    bias, bias_values = host.tiles(1)
    output = host.output_tiles(2)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t batches = get_arg_val<uint32_t>(0);
        constexpr auto src_args = TensorAccessorArgs<0>();
        constexpr auto bias_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        const auto bias = TensorAccessor(bias_args, get_common_arg_val<uint32_t>(1));
        for (uint32_t batch = 0; batch < batches; batch++) {
            if (batch == 0) {                                                    // +
            {                                                                    // -
                cb_reserve_back(1, 1);                                           // BUG
                noc_async_read_page(0, bias, get_write_ptr(1));
                noc_async_read_barrier();
                cb_push_back(1, 1);
            }
            cb_reserve_back(0, 1);
            noc_async_read_page(batch, src, get_write_ptr(0));
            noc_async_read_barrier();
            cb_push_back(0, 1);
        }
    }
    """
    compute = """
    #include "api/compute/eltwise_binary.h"

    void kernel_main() {
        const uint32_t batches = get_arg_val<uint32_t>(0);
        compute_kernel_hw_startup(0, 1, 16);
        add_init(0, 1);
        cb_wait_front(1, 1);
        for (uint32_t batch = 0; batch < batches; batch++) {
            cb_wait_front(0, 1);                                                 // BUG
            cb_reserve_back(16, 1);
            tile_regs_acquire();
            add_tiles(0, 1, 0, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, 16);
            tile_regs_release();
            cb_push_back(16, 1);
            cb_pop_front(0, 1);
        }
        cb_pop_front(1, 1);
    }
    """
    yield host.launch(
        [source, bias, output],
        values + np.hstack([bias_values, bias_values]),
        [
            host.kernel("reader", reader, [2], [source, bias]),
            host.kernel("compute", compute, [2]),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(1, "bias", 1), host.cb(16, "out", 2)],
    )


@CREDITS.bug("B09", "cb-left-over", "hang-full-buffer", plain=Plain.RIGHT)
def mask_left_by_workers(host: Host) -> Iterator[Launch]:
    """Every core gets a mask, only the root consumes it: the second launch finds the buffer full on a card."""
    cores = [(0, 0), (1, 0)]
    source, values = host.tiles(2)
    mask, mask_values = host.tiles(1)
    output = host.output_tiles(2)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t tile = get_arg_val<uint32_t>(0);
        [[maybe_unused]] const uint32_t is_root = get_arg_val<uint32_t>(1);
        constexpr auto src_args = TensorAccessorArgs<0>();
        constexpr auto mask_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        const auto mask = TensorAccessor(mask_args, get_common_arg_val<uint32_t>(1));
        cb_reserve_back(0, 1);
        noc_async_read_page(tile, src, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        if (is_root) {                                                           // +
        {                                                                        // -
            cb_reserve_back(1, 1);
            noc_async_read_page(0, mask, get_write_ptr(1));
            noc_async_read_barrier();
            cb_push_back(1, 1);                                                  // BUG
        }
    }
    """
    compute = """
    #include "api/compute/eltwise_binary.h"
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        const bool is_root = get_arg_val<uint32_t>(0) != 0;
        compute_kernel_hw_startup(0, 1, 16);
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        if (is_root) {
            cb_wait_front(1, 1);
            add_init(0, 1);
            add_tiles(0, 1, 0, 0, 0);
            cb_pop_front(1, 1);
        } else {
            copy_init(0);
            copy_tile(0, 0, 0);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    """
    expected = values.copy()
    expected[:, :32] += mask_values
    for _ in range(2):
        yield host.launch(
            [source, mask, output],
            expected,
            [
                host.kernel("reader", reader, {(0, 0): [0, 1], (1, 0): [1, 0]}, [source, mask], cores),
                host.kernel("compute", compute, {(0, 0): [1], (1, 0): [0]}, (), cores),
                host.kernel("writer", WRITER, {(0, 0): [1, 0], (1, 0): [1, 1]}, [output], cores),
            ],
            [host.cb(0, "in", 1, cores=cores), host.cb(1, "mask", 1, cores=cores), host.cb(16, "out", 1, cores=cores)],
        )


@CREDITS.bug("B10", "cb-over-capacity", plain=Plain.KERNEL_ERROR, plain_text="can never succeed")
def reserve_over_capacity(host: Host) -> Iterator[Launch]:
    """Compute reserves four pages of a buffer that has two."""
    source, values = host.tiles(4)
    output = host.output_tiles(4)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        const uint32_t freq = get_arg_val<uint32_t>(0);
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_reserve_back(16, freq);                                               // BUG
        for (uint32_t i = 0; i < freq; i++) {
            cb_wait_front(0, 1);
            tile_regs_acquire();
            copy_tile(0, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, 16);
            tile_regs_release();
            cb_pop_front(0, 1);
        }
        cb_push_back(16, freq);
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [4, 0], [source]),
            host.kernel("compute", compute, [4]),
            host.kernel("writer", WRITER, [4, 0], [output]),
        ],
        [host.cb(0, "in", 2), host.cb(16, "out", host.pick(buggy=2, fixed=4))],
    )


@CREDITS.bug("B11", "hang-finished-producer", plain=Plain.DEADLOCK, plain_text="reader pushed 3 pages in all")
def writer_owns_both_outputs(host: Host) -> Iterator[Launch]:
    """A split: the writer waits for the tiles of both outputs on a core that has those of one."""
    source, values = host.tiles(3)
    output = host.output_tiles(3)
    reader = READER.replace("cb_in = 0", "cb_in = 16")
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t num_outputs = get_arg_val<uint32_t>(0);
        const uint32_t num_tiles = get_arg_val<uint32_t>(1);
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        for (uint32_t output = 0; output < num_outputs; output++) {
            for (uint32_t tile = 0; tile < num_tiles; tile++) {
                cb_wait_front(16, 1);                                            // BUG
                noc_async_write_page(tile, dst, get_read_ptr(16));
                noc_async_write_barrier();
                cb_pop_front(16, 1);
            }
        }
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, [3, 0], [source]),
            host.kernel("writer", writer, [host.pick(buggy=2, fixed=1), 3], [output]),
        ],
        [host.cb(16, "out", 2)],
    )
