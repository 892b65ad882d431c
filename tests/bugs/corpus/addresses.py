# SPDX-License-Identifier: Apache-2.0
"""Addresses, sizes and padding: the right bytes at the wrong place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus.host import READER, TILE_BYTES, WRITER, Host
from tests.bugs.corpus.model import BLACKHOLE, BugClass, Launch, Plain
from tilewright import ttnn

ADDRESSES = BugClass("addresses")


@ADDRESSES.bug("B66", "noc-page-stride", "noc-unaligned", plain=Plain.WRONG, archs=(BLACKHOLE,))
def page_stride_without_alignment(host: Host) -> Iterator[Launch]:
    """Pages of 544 bytes lie 576 bytes apart in Blackhole's DRAM; the reader goes on by 544."""
    banks = host.device.num_dram_channels()
    values = (np.arange(2 * banks * 272).reshape(2 * banks, 272) * 37 % 61 + 1).astype(np.float64)
    source = host.tensor(values, layout=ttnn.ROW_MAJOR_LAYOUT)
    output = host.output(2, 272, layout=ttnn.ROW_MAJOR_LAYOUT)
    page_bytes, distance = 544, 576
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t address = get_arg_val<uint32_t>(0);
        const uint32_t page_bytes = get_arg_val<uint32_t>(1);
        const uint32_t stride = get_arg_val<uint32_t>(2);
        for (uint32_t page = 0; page < 2; page++) {
            cb_reserve_back(16, 1);
            const uint64_t from = get_noc_addr_from_bank_id<true>(0, address + page * stride);
            noc_async_read(from, get_write_ptr(16), page_bytes);                 // BUG
            noc_async_read_barrier();
            cb_push_back(16, 1);
        }
    }
    """
    yield host.launch(
        [source, output],
        values[[0, banks]],
        [
            host.kernel(
                "reader",
                reader,
                [source.buffer_address(), page_bytes, host.pick(buggy=page_bytes, fixed=distance)],
            ),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(16, "rows", 2, page_size=distance)],
    )


@ADDRESSES.bug("B68", "l1-outside-buffer", "cb-write-past-reserve", "cb-write-unreserved", plain=Plain.WRONG)
def sized_by_another_row_count(host: Host) -> Iterator[Launch]:
    """A scratch buffer has room for two rows; the loop that fills it runs over three."""
    source, values = host.tiles(1)
    output = host.output_tiles(1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t num_rows = get_arg_val<uint32_t>(0);
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        cb_reserve_back(16, 1);
        noc_async_read_page(0, src, get_write_ptr(16));
        noc_async_read_barrier();
        cb_push_back(16, 1);
        cb_reserve_back(1, 2);
        auto rows = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(1));
        for (uint32_t word = 0; word < num_rows * 16; word++) {
            rows[word] = word;                                                   // BUG
        }
    }
    """
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, [host.pick(buggy=3, fixed=2)], [source]),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(1, "rows", 2, ttnn.uint32, page_size=64), host.cb(16, "out", 1, page_size=TILE_BYTES)],
    )


@ADDRESSES.bug("B71", "l1-uninitialised", plain=Plain.RIGHT)
def unwritten_count(host: Host) -> Iterator[Launch]:
    """Every core reads a count from its L1; the tensor of counts has a page on the first core only."""
    cores = [(0, 0), (1, 0)]
    counts = host.tensor(
        np.array([[2] + [0] * 7]), ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT, memory_config=ttnn.L1_MEMORY_CONFIG
    )
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        const uint32_t counts = get_arg_val<uint32_t>(0);
        [[maybe_unused]] const uint32_t has_work = get_arg_val<uint32_t>(1);
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        if (has_work == 0) {                                                     // +
            return;                                                              // +
        }                                                                        // +
        const uint32_t num_tiles = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(counts);    // BUG
        for (uint32_t tile = 0; tile < num_tiles; tile++) {                      // BUG
            cb_wait_front(16, 1);
            noc_async_write_page(tile, dst, get_read_ptr(16));
            noc_async_write_barrier();
            cb_pop_front(16, 1);
        }
    }
    """
    yield host.launch(
        [counts, source, output],
        values,
        [
            host.kernel("reader", READER.replace("cb_in = 0", "cb_in = 16"), [2, 0], [source], cores[:1]),
            host.kernel(
                "writer",
                writer,
                {(0, 0): [counts.buffer_address(), 1], (1, 0): [counts.buffer_address(), 0]},
                [output],
                cores,
            ),
        ],
        [host.cb(16, "out", 1, cores=cores)],
    )


@ADDRESSES.bug("B72", "value-padding", plain=Plain.RIGHT)
def sum_over_the_padding(host: Host) -> Iterator[Launch]:
    """A row sum over 10 columns adds up all 32 of the tile; the padding happens to be zeros."""
    values = (np.arange(32 * 10).reshape(32, 10) * 5 % 7).astype(np.float64)
    source = host.tensor(values)
    ones = host.tensor(np.ones((32, 32)))
    output = host.output(32, 1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    // Columns from `valid` on, in every face of a bfloat16 tile.
    void clear_padding(uint32_t address, uint32_t valid) {
        auto tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(address);
        for (uint32_t face = 0; face < 4; face++) {
            for (uint32_t i = 0; i < 256; i++) {
                if (face % 2 * 16 + i % 16 >= valid) {
                    tile[face * 256 + i] = 0;
                }
            }
        }
    }

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        constexpr auto ones_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        const auto ones = TensorAccessor(ones_args, get_common_arg_val<uint32_t>(1));
        cb_reserve_back(0, 1);
        cb_reserve_back(1, 1);
        noc_async_read_page(0, src, get_write_ptr(0));
        noc_async_read_page(0, ones, get_write_ptr(1));
        noc_async_read_barrier();
        clear_padding(get_write_ptr(0), 10);                                     // +
        cb_push_back(0, 1);
        cb_push_back(1, 1);
    }
    """
    compute = """
    #include "api/compute/reduce.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 1, 16);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);        // BUG
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);                                                        // BUG
        tile_regs_release();
        reduce_uninit();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
    """
    writer = WRITER.replace(
        "noc_async_write_page(tile, dst, get_read_ptr(cb_out));",
        "noc_async_write_page(tile, dst, get_read_ptr(cb_out));    // BUG",
    )
    yield host.launch(
        [source, ones, output],
        values.sum(axis=1, keepdims=True),
        [
            host.kernel("reader", reader, (), [source, ones]),
            host.kernel("compute", compute),
            host.kernel("writer", writer, [1, 0], [output]),
        ],
        [host.cb(0, "in", 1), host.cb(1, "ones", 1), host.cb(16, "out", 1)],
    )


@ADDRESSES.bug("B73", "l1-misaligned", plain=Plain.WRONG)
def words_stored_at_odd_halves(host: Host) -> Iterator[Launch]:
    """A row of 62 bytes is padded to 96 by 4-byte stores from byte 62 on."""
    values = (np.arange(2 * 31).reshape(2, 31) % 61 + 1).astype(np.float64)
    source = host.tensor(values, layout=ttnn.ROW_MAJOR_LAYOUT)
    output = host.output(2, 48, layout=ttnn.ROW_MAJOR_LAYOUT)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr uint32_t row_bytes = 62;
        constexpr uint32_t padded_bytes = 96;
        constexpr auto src_args = TensorAccessorArgs<0>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        for (uint32_t row = 0; row < 2; row++) {
            cb_reserve_back(16, 1);
            noc_async_read(src.get_noc_addr(row), get_write_ptr(16), row_bytes);
            noc_async_read_barrier();
            using Word = uint32_t;                                               // -
            using Word = uint16_t;                                               // +
            auto padding = reinterpret_cast<volatile tt_l1_ptr Word*>(get_write_ptr(16) + row_bytes);
            for (uint32_t i = 0; i < (padded_bytes - row_bytes) / sizeof(Word); i++) {
                padding[i] = 0;                                                  // BUG
            }
            [[maybe_unused]] const Word landed = padding[(padded_bytes - row_bytes) / sizeof(Word) - 1];
            cb_push_back(16, 1);
        }
    }
    """
    yield host.launch(
        [source, output],
        np.hstack([values, np.zeros((2, 17))]),
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(16, "rows", 2, page_size=96)],
    )


@ADDRESSES.bug("B74", "noc-page-out-of-range", plain=Plain.RIGHT)
def rows_that_do_not_exist(host: Host) -> Iterator[Launch]:
    """The writer counts tiles by the padded height, the output has those of the logical one."""
    source, values = host.tiles(3)
    output = host.output_tiles(2)
    writer = WRITER.replace(
        "noc_async_write_page(tile, dst, get_read_ptr(cb_out));",
        "noc_async_write_page(tile, dst, get_read_ptr(cb_out));    // BUG",
    )
    num_tiles = host.pick(buggy=3, fixed=2)
    yield host.launch(
        [source, output],
        values[:, :64],
        [
            host.kernel("reader", READER.replace("cb_in = 0", "cb_in = 16"), [num_tiles, 0], [source]),
            host.kernel("writer", writer, [num_tiles, 0], [output]),
        ],
        [host.cb(16, "out", 2)],
    )
