# SPDX-License-Identifier: Apache-2.0
"""Bugs of the host's contract with its kernels: arguments of this call, a program of its own, memory that is there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tests.bugs.corpus.host import READER, TILE_BYTES, WRITER, Host
from tests.bugs.corpus.model import BugClass, Launch, Plain
from tilewright import ttnn

HOST_CONTRACT = BugClass("host contract")


def pick_tile(host: Host, source: ttnn.Tensor, position: int, output: ttnn.Tensor) -> ttnn.ProgramDescriptor:
    """A program that copies the tile at ``position``."""
    reader = READER.replace("cb_in = 0", "cb_in = 16")
    return host.launch(
        [source, output],
        np.zeros(()),
        [
            host.kernel("reader", reader, [1, position], [source]),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [host.cb(16, "out", 1)],
    ).program


@HOST_CONTRACT.bug("B76", "arg-stale", plain=Plain.WRONG, in_kernel=False)
def attribute_of_the_first_call(host: Host) -> Iterator[Launch]:
    """A cached program gets the new addresses, but keeps the position of the call it was built for."""
    cached: ttnn.ProgramDescriptor | None = None
    for position in (0, 1):
        source, values = host.tiles(2)
        output = host.output_tiles(1)
        fresh = pick_tile(host, source, position, output)
        if cached is None:
            cached = fresh
        else:
            cached.kernels[0].common_runtime_args = [source.buffer_address()]
            cached.kernels[1].common_runtime_args = [output.buffer_address()]
            if host.fixed:
                cached.kernels[0].runtime_args = [(ttnn.CoreCoord(0, 0), [1, position])]
        expected = values[:, 32 * position : 32 * position + 32]
        yield Launch([source, output], cached, expected, fresh_program=fresh)


@HOST_CONTRACT.bug("B77", "cache-collision", plain=Plain.RIGHT, in_kernel=False)
def two_programs_one_key(host: Host) -> Iterator[Launch]:
    """Two programs with different buffers give the same key: the second runs the first one's kernels on a card."""
    for height_tiles, width_tiles in ((2, 1), (1, 2)):
        values = (np.arange(1024 * 2).reshape(32 * height_tiles, 32 * width_tiles) * 37 % 61 + 1).astype(np.float64)
        yield _copy_rows(host, values, height_tiles, width_tiles)


def _copy_rows(host: Host, values: NDArray[np.float64], height_tiles: int, width_tiles: int) -> Launch:
    source = host.tensor(values)
    output = host.output(*values.shape)
    mover = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr auto args = TensorAccessorArgs<0>();
        const auto tensor = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
        for (uint32_t row = 0; row < HEIGHT; row++) {
            BEFORE(16, WIDTH);
            for (uint32_t i = 0; i < WIDTH; i++) {
                MOVE(row * WIDTH + i, tensor, POINTER(16) + i * get_tile_size(16));
            }
            BARRIER();
            AFTER(16, WIDTH);
        }
    }
    """.replace("HEIGHT", str(height_tiles)).replace("WIDTH", str(width_tiles))
    reader, writer = mover, mover
    for name, reads, writes in (
        ("BEFORE", "cb_reserve_back", "cb_wait_front"),
        ("MOVE", "noc_async_read_page", "noc_async_write_page"),
        ("POINTER", "get_write_ptr", "get_read_ptr"),
        ("BARRIER", "noc_async_read_barrier", "noc_async_write_barrier"),
        ("AFTER", "cb_push_back", "cb_pop_front"),
    ):
        reader, writer = reader.replace(name, reads), writer.replace(name, writes)
    launch = host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", reader, (), [source]),
            host.kernel("writer", writer, (), [output]),
        ],
        [host.cb(16, "row", width_tiles)],
    )
    launch.program.custom_program_hash = host.pick(
        buggy=height_tiles * width_tiles, fixed=height_tiles * 1000 + width_tiles
    )
    return launch


@HOST_CONTRACT.bug("B78", "stack-size", plain=Plain.RIGHT)
def array_over_the_stack(host: Host) -> Iterator[Launch]:
    """A window of 32x32 makes an array of 4 KiB on a stack that has less than one."""
    output = host.output(1, 8, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT)
    writer = """
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {                                                         // BUG
        const uint32_t height = get_arg_val<uint32_t>(0);
        const uint32_t width = get_arg_val<uint32_t>(1);
        constexpr auto dst_args = TensorAccessorArgs<0>();
        const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
        uint32_t offsets[height * width];                                        // - BUG
        cb_reserve_back(0, 1);                                                   // +
        auto offsets = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));    // +
        for (uint32_t i = 0; i < height * width; i++) {
            offsets[i] = i;
        }
        uint32_t sum = 0;
        for (uint32_t i = 0; i < height * width; i++) {
            sum += offsets[i];
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
        [output],
        np.full((1, 8), 1024 * 1023 // 2),
        [host.kernel("writer", writer, [32, 32], [output])],
        [
            host.cb(0, "offsets", 1, ttnn.uint32, page_size=4096),
            host.cb(16, "sum", 1, ttnn.uint32, page_size=32),
        ],
    )


@HOST_CONTRACT.bug(
    "B80", "l1-budget", plain=Plain.PROGRAM_ERROR, plain_text="bytes above the end of L1", in_kernel=False
)
def buffers_over_the_memory(host: Host) -> Iterator[Launch]:
    """A buffer for a whole row of tiles is larger than L1."""
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    pages = host.pick(buggy=1600 * 1024 // TILE_BYTES, fixed=2)
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", READER.replace("cb_in = 0", "cb_in = 16"), [2, 0], [source]),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(16, "row", pages)],
    )
