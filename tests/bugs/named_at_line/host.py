# SPDX-License-Identifier: Apache-2.0
"""Mistakes of the host's side: core orders, arguments, formats, the same tensor twice."""

from __future__ import annotations

import numpy as np

from tests.bugs.corpus.host import WRITER, Arguments, Core, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.named_at_line.model import MARKED_READER, MARKED_WRITER, Launches, dataflow, twin
from tilewright import ttnn

KIND = "host"


def copy(
    host: Host, source: ttnn.Tensor, output: ttnn.Tensor, expected: object, cores: list[Core], *args: Arguments
) -> Launch:
    """``args`` are the reader's and the writer's: how many tiles, and the first one."""
    return host.launch(
        [source, output],
        np.asarray(expected),
        [
            host.kernel("reader", MARKED_READER, args[0], [source], cores),
            host.kernel("writer", MARKED_WRITER, args[1], [output], cores),
        ],
        [host.cb(16, "page", 2, cores=cores)],
    )


@twin(KIND, "work-split")
def reader_by_rows_writer_by_columns(host: Host) -> Launches:
    """Reader and writer go through the cores in different orders."""
    cores = [(x, y) for y in range(2) for x in range(2)]
    source, values = host.tiles(8)
    order = host.pick(buggy=sorted(cores), fixed=cores)
    reads = {core: [2, 2 * i] for i, core in enumerate(cores)}
    writes = {core: [2, 2 * i] for i, core in enumerate(order)}
    yield copy(host, source, host.output_tiles(8), values, cores, reads, writes)


@twin(KIND, "dram-race")
def writers_overlap(host: Host) -> Launches:
    """The second core's first page is the first one's last."""
    cores = [(0, 0), (1, 0)]
    source, values = host.tiles(4)
    reads = {(x, 0): [2, 2 * x] for x in range(2)}
    writes = {(x, 0): [2, host.pick(buggy=x, fixed=2 * x)] for x in range(2)}
    yield copy(host, source, host.output_tiles(4), values, cores, reads, writes)


@twin(KIND, "work-overlap")
def shares_overlap(host: Host) -> Launches:
    """The first core has a page too many: the second one's first, which both copy."""
    cores = [(0, 0), (1, 0)]
    source, values = host.tiles(4)
    shares = {(0, 0): [host.pick(buggy=3, fixed=2), 0], (1, 0): [2, 2]}
    yield copy(host, source, host.output_tiles(4), values, cores, shares, shares)


@twin(KIND, "tensor-page-size")
def float32_into_bfloat16_pages(host: Host) -> Launches:
    """A tensor of float32 is read into a buffer of bfloat16."""
    source, values = host.tiles(2, host.pick(buggy=ttnn.float32, fixed=ttnn.bfloat16))
    yield copy(host, source, host.output_tiles(2), values, [(0, 0)], [2, 0], [2, 0])


@twin(KIND, "tensor-page-size")
def bfloat16_pages_into_float32(host: Host) -> Launches:
    """The output is of float32, its buffer of bfloat16."""
    source, values = host.tiles(2)
    output = host.output_tiles(2, host.pick(buggy=ttnn.float32, fixed=ttnn.bfloat16))
    yield copy(host, source, output, values, [(0, 0)], [2, 0], [2, 0])


@twin(KIND, "tensor-page-size")
def block_floats_into_bfloat16_pages(host: Host) -> Launches:
    """A tensor of block floats is read into a buffer of bfloat16."""
    source, values = host.tiles(2, host.pick(buggy=ttnn.bfloat8_b, fixed=ttnn.bfloat16))
    yield copy(host, source, host.output_tiles(2), values, [(0, 0)], [2, 0], [2, 0])


@twin(KIND, "arg-no-address")
def arguments_shifted_by_one(host: Host) -> Launches:
    """The tensor's address was left out of the arguments, so each of them is the one behind it."""
    read = """
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), arg(0));
    for (uint32_t tile = arg(2); tile < arg(2) + arg(1); tile++) {
        cb_reserve_back(16, 1);
        noc_async_read_page(tile, tensor, get_write_ptr(16));  // BUG
        noc_async_read_barrier();
        cb_push_back(16, 1);
    }
    """
    source, values = host.tiles(2)
    output = host.output_tiles(2)
    args = host.pick(buggy=[2, 2, 0], fixed=[source.buffer_address(), 2, 0])
    yield host.launch(
        [source, output],
        values,
        [
            host.kernel("reader", dataflow(read), args, [source]),
            host.kernel("writer", WRITER, [2, 0], [output]),
        ],
        [host.cb(16, "page", 2)],
    )


@twin(KIND, "dram-race")
def same_tensor_twice(host: Host) -> Launches:
    """Tiles change places within one tensor: a core reads what another has written over."""
    cores = [(0, 0), (1, 0)]
    source, values = host.tiles(2)
    reads = {(x, 0): [1, host.pick(buggy=1 - x, fixed=x)] for x in range(2)}
    writes = {(x, 0): [1, x] for x in range(2)}
    yield copy(host, source, source, values, cores, reads, writes)
