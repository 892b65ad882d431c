# SPDX-License-Identifier: Apache-2.0
"""The compute pipeline: DST and its hand-over, and formats and geometry that stay as the last call left them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.bugs.corpus.host import READER, WRITER, Host
from tests.bugs.corpus.model import BugClass, Launch, Plain
from tilewright import ttnn

COMPUTE = BugClass("compute")


def through_compute(host: Host, compute: str, args: tuple[int, ...] = (), tiles: int = 1) -> Launch:
    """Reader, the compute kernel in question, writer; the output is the input."""
    source, values = host.tiles(tiles)
    output = host.output_tiles(tiles)
    return host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, [tiles, 0], [source]),
            host.kernel("compute", compute, args),
            host.kernel("writer", WRITER, [tiles, 0], [output]),
        ],
        [host.cb(0, "in", tiles), host.cb(16, "out", tiles)],
    )


@COMPUTE.bug("B55", "dst-index", plain=Plain.KERNEL_ERROR, plain_text="8")
def dst_index_over_the_mode(host: Host) -> Iterator[Launch]:
    """DST slot 8 is used where there are slots 0 to 7."""
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        constexpr uint32_t slot = 8;                                             // -
        constexpr uint32_t slot = 7;                                             // +
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, slot);                                                   // BUG
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(slot, 16);                                                     // BUG
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    """
    yield through_compute(host, compute)


@COMPUTE.bug("B57", "dst-protocol", plain=Plain.KERNEL_ERROR, plain_text="pack_tile")
def pack_before_the_hand_over(host: Host) -> Iterator[Launch]:
    """The packer reads DST before it has waited for the maths side."""
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();                                                      // +
        tile_regs_wait();                                                        // +
        pack_tile(0, 16);                                                        // BUG
        tile_regs_commit();                                                      // -
        tile_regs_wait();                                                        // -
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    """
    yield through_compute(host, compute)


@COMPUTE.bug("B59", "dst-protocol", plain=Plain.RIGHT)
def commit_on_one_branch(host: Host) -> Iterator[Launch]:
    """DST is committed only where the height is not zero; with an empty input the packer waits for ever."""
    output = host.output_tiles(1)
    compute = """
    #include "api/compute/eltwise_unary/fill.h"
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        const uint32_t height_tiles = get_arg_val<uint32_t>(0);
        compute_kernel_hw_startup(0, 16);
        copy_init(0);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        fill_tile_init();
        fill_tile(0, 0.0f);
        for (uint32_t tile = 0; tile < height_tiles; tile++) {
            cb_wait_front(0, 1);
            copy_tile(0, 0, 0);
            cb_pop_front(0, 1);
        }
        if (height_tiles > 0) {                                                  // -
            tile_regs_commit();                                                  // BUG
        }                                                                        // -
        tile_regs_wait();                                                        // BUG
        pack_tile(0, 16);                                                        // BUG
        tile_regs_release();                                                     // BUG
        cb_push_back(16, 1);
    }                                                                            // BUG
    """
    yield host.launch(
        [output],
        np.zeros((32, 32)),
        [
            host.kernel("compute", compute, [0]),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(0, "in", 1), host.cb(16, "out", 1)],
    )


@COMPUTE.bug("B60", "format-mismatch", plain=Plain.WRONG)
def format_left_by_the_last_iteration(host: Host) -> Iterator[Launch]:
    """From the second row on, bfloat16 values are unpacked as the uint16 indices of the row before."""
    values, value_numbers = host.tiles(2)
    indices, _ = host.tiles(2, ttnn.uint16)
    out_indices = host.output_tiles(2, ttnn.uint16)
    out_values = host.output_tiles(2)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto values_args = TensorAccessorArgs<0>();
        constexpr auto indices_args = TensorAccessorArgs<values_args.next_compile_time_args_offset()>();
        const auto values = TensorAccessor(values_args, get_common_arg_val<uint32_t>(0));
        const auto indices = TensorAccessor(indices_args, get_common_arg_val<uint32_t>(1));
        for (uint32_t tile = 0; tile < 2; tile++) {
            cb_reserve_back(0, 1);
            cb_reserve_back(1, 1);
            noc_async_read_page(tile, values, get_write_ptr(0));
            noc_async_read_page(tile, indices, get_write_ptr(1));
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, 1);
        }
    }
    """
    compute = """
    #include "api/compute/pack.h"
    #include "api/compute/reconfig_data_format.h"
    #include "api/compute/tile_move_copy.h"
    #include "api/compute/transpose.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 16);
        for (uint32_t row = 0; row < 2; row++) {
            reconfig_data_format_srca(0);                                        // +
            pack_reconfig_data_format(16);
            copy_init(0);
            cb_wait_front(0, 1);
            cb_reserve_back(16, 1);
            tile_regs_acquire();
            copy_tile(0, 0, 0);                                                  // BUG
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, 16);
            tile_regs_release();
            cb_push_back(16, 1);
            cb_pop_front(0, 1);

            reconfig_data_format_srca(1);
            pack_reconfig_data_format(17);
            transpose_init(1);
            cb_wait_front(1, 1);
            cb_reserve_back(17, 1);
            tile_regs_acquire();
            transpose_tile(1, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, 17);
            tile_regs_release();
            cb_push_back(17, 1);
            cb_pop_front(1, 1);
        }
    }
    """
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto values_args = TensorAccessorArgs<0>();
        constexpr auto indices_args = TensorAccessorArgs<values_args.next_compile_time_args_offset()>();
        const auto values = TensorAccessor(values_args, get_common_arg_val<uint32_t>(0));
        const auto indices = TensorAccessor(indices_args, get_common_arg_val<uint32_t>(1));
        for (uint32_t tile = 0; tile < 2; tile++) {
            cb_wait_front(16, 1);
            cb_wait_front(17, 1);
            noc_async_write_page(tile, values, get_read_ptr(16));
            noc_async_write_page(tile, indices, get_read_ptr(17));
            noc_async_write_barrier();
            cb_pop_front(16, 1);
            cb_pop_front(17, 1);
        }
    }
    """
    yield host.launch(
        [values, indices, out_indices, out_values],
        value_numbers,
        [
            host.kernel("reader", reader, (), [values, indices]),
            host.kernel("compute", compute),
            host.kernel("writer", writer, (), [out_values, out_indices]),
        ],
        [
            host.cb(0, "values", 1),
            host.cb(1, "indices", 1, ttnn.uint16),
            host.cb(16, "out_values", 1),
            host.cb(17, "out_indices", 1, ttnn.uint16),
        ],
    )


@COMPUTE.bug("B61", "format-mismatch", plain=Plain.WRONG)
def scalar_in_another_format(host: Host) -> Iterator[Launch]:
    """A bfloat16 scalar is unpacked as bfloat8_b, the format of the other operand."""
    source, values = host.tiles(1, ttnn.bfloat8_b)
    scalar = host.tensor(np.full((32, 32), 2.0))
    output = host.output_tiles(1)
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto src_args = TensorAccessorArgs<0>();
        constexpr auto scalar_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
        const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
        const auto scalar = TensorAccessor(scalar_args, get_common_arg_val<uint32_t>(1));
        cb_reserve_back(0, 1);
        cb_reserve_back(1, 1);
        noc_async_read_page(0, src, get_write_ptr(0));
        noc_async_read_page(0, scalar, get_write_ptr(1));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(1, 1);
    }
    """
    compute = """
    #include "api/compute/bcast.h"

    void kernel_main() {
        compute_kernel_hw_startup(0, 0, 16);                                     // -
        compute_kernel_hw_startup(0, 1, 16);                                     // +
        mul_bcast_scalar_init(0, 1);
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        mul_tiles_bcast_scalar(0, 1, 0, 0, 0);                                   // BUG
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
    """
    yield host.launch(
        [source, scalar, output],
        2 * values,
        [
            host.kernel("reader", reader, (), [source, scalar]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(0, "in", 1, ttnn.bfloat8_b), host.cb(1, "scalar", 1), host.cb(16, "out", 1)],
    )


@COMPUTE.bug("B63", "geometry-mismatch", plain=Plain.RIGHT)
def geometry_left_by_tilize(host: Host) -> Iterator[Launch]:
    """After tilizing half tiles, the product unpacks a whole tile with the two faces of a half one."""
    query_values = (np.arange(16 * 32).reshape(16, 32) * 37 % 61 + 1).astype(np.float64)
    query = host.tensor(query_values, layout=ttnn.ROW_MAJOR_LAYOUT)
    key = host.tensor(2 * np.eye(32))
    output = host.tensor(np.zeros((16, 32)), tile=ttnn.Tile((16, 32)))
    half = ttnn.TileDescriptor(16, 32)
    half_bytes = 16 * 32 * 2
    reader = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto query_args = TensorAccessorArgs<0>();
        constexpr auto key_args = TensorAccessorArgs<query_args.next_compile_time_args_offset()>();
        const auto query = TensorAccessor(query_args, get_common_arg_val<uint32_t>(0));
        const auto key = TensorAccessor(key_args, get_common_arg_val<uint32_t>(1));
        cb_reserve_back(0, 1);
        for (uint32_t row = 0; row < 16; row++) {
            noc_async_read_page(row, query, get_write_ptr(0) + row * 64);
        }
        cb_reserve_back(2, 1);
        noc_async_read_page(0, key, get_write_ptr(2));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(2, 1);
    }
    """
    compute = """
    #include "api/compute/matmul.h"
    #include "api/compute/reconfig_data_format.h"
    #include "api/compute/tilize.h"

    void kernel_main() {
        constexpr uint32_t cb_rows = 0;
        constexpr uint32_t cb_query = 1;
        constexpr uint32_t cb_key = 2;
        constexpr uint32_t cb_out = 16;
        compute_kernel_hw_startup(cb_rows, cb_query);
        tilize_init(cb_rows, 1, cb_query);
        cb_wait_front(cb_rows, 1);
        cb_reserve_back(cb_query, 1);
        tilize_block(cb_rows, 1, cb_query);
        cb_push_back(cb_query, 1);
        cb_pop_front(cb_rows, 1);
        tilize_uninit(cb_rows, cb_query);

        reconfig_full_operand(cb_key, cb_query);                                 // +
        matmul_init(cb_query, cb_key);
        cb_wait_front(cb_query, 1);
        cb_wait_front(cb_key, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        matmul_tiles(cb_query, cb_key, 0, 0, 0);                                 // BUG
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_query, 1);
        cb_pop_front(cb_key, 1);
    }
    """
    yield host.launch(
        [query, key, output],
        2 * query_values,
        [
            host.kernel("reader", reader, (), [query, key]),
            host.kernel("compute", compute),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [
            host.cb(0, "query_rows", 1, page_size=half_bytes, tile=half),
            host.cb(1, "query", 1, page_size=half_bytes, tile=half),
            host.cb(2, "key", 1),
            host.cb(16, "out", 1, page_size=half_bytes, tile=half),
        ],
    )


@COMPUTE.bug("B65", "cb-not-configured", plain=Plain.KERNEL_ERROR, plain_text="not configured on core (1,0)")
def start_up_with_a_missing_buffer(host: Host) -> Iterator[Launch]:
    """Every core starts up with a buffer that only the root has."""
    root, worker = (0, 0), (1, 0)
    both = [root, worker]
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    compute = """
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        constexpr uint32_t cb_stats = 1;
        const uint32_t is_root = get_arg_val<uint32_t>(0);
        compute_kernel_hw_startup(0, cb_stats, 16);                              // - BUG
        compute_kernel_hw_startup(0, 16);                                        // +
        copy_init(0);
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        if (is_root) {
            cb_reserve_back(cb_stats, 1);
            pack_tile(0, cb_stats);
            cb_push_back(cb_stats, 1);
        }
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        if (is_root) {
            cb_wait_front(cb_stats, 1);
            cb_pop_front(cb_stats, 1);
        }
    }
    """
    work = {root: [1, 0], worker: [1, 1]}
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER, work, [source], both),
            host.kernel("compute", compute, {root: [1], worker: [0]}, (), both),
            host.kernel("writer", WRITER, work, [output], both),
        ],
        [host.cb(0, "in", 1, cores=both), host.cb(1, "stats", 1, cores=[root]), host.cb(16, "out", 1, cores=both)],
    )
