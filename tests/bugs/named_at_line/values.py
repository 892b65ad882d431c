# SPDX-License-Identifier: Apache-2.0
"""Values that mean nothing: the operation that takes one in is to be named, not the writer where it comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bugs.corpus.host import WRITER, Host
from tests.bugs.corpus.model import Launch
from tests.bugs.named_at_line.model import Launches, compute, dataflow, twin
from tilewright import ttnn

KIND = "values"
# A tile of ones in the first row of each face.
SCALER = """
    cb_reserve_back(2, 1);
    for (uint32_t i = 0; i < 512; i++) {
        words(get_write_ptr(2))[i] = i % 128 < 8 ? 0x3f803f80 : 0;
    }
    cb_push_back(2, 1);
"""
READ = """
    cb_reserve_back(0, 1);
    noc_async_read_page(0, tensor0, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
"""


def program(
    host: Host, source: ttnn.Tensor, output: ttnn.Tensor, expected: NDArray[Any], body: str, scaler: str = SCALER
) -> Launch:
    """One tile of ``source`` in c_0, a scaler in c_2; c_4 is between two steps."""
    buffers = [host.cb(index, name, 1) for index, name in ((0, "in"), (4, "middle"), (16, "out"))]
    return host.launch(
        [source, output],
        expected,
        [
            host.kernel("reader", dataflow(scaler + READ, tensors=1), (), [source]),
            host.kernel("compute", compute(body)),
            host.kernel("writer", WRITER, [1, 0], [output]),
        ],
        [*buffers, *([host.cb(2, "scaler", 1)] if scaler else [])],
    )


@twin(KIND, "value-padding")
def row_sum_over_padding(host: Host) -> Launches:
    """A row's sum takes in the columns beside it, and two steps later they are in every element."""
    body = """
    compute_kernel_hw_startup(0, 2, 16);
    cb_wait_front(2, 1);
    cb_wait_front(0, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2, 4);
    cb_reserve_back(4, 1);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2, 0, 0, 0);  // BUG
    pack_section(4);
    reduce_uninit();
    cb_push_back(4, 1);
    cb_wait_front(4, 1);
    cb_reserve_back(16, 1);
    sub_bcast_cols_init_short(0, 4);
    tile_regs_acquire();
    sub_tiles_bcast_cols(0, 4, 0, 0, 0);
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(4, 1);
    cb_pop_front(0, 1);
    cb_pop_front(2, 1);
    """
    width = host.pick(buggy=20, fixed=32)
    values = (np.arange(32 * width).reshape(32, width) % 7).astype(np.float64)
    expected = np.zeros((32, 32))
    expected[:, :width] = values - values.sum(axis=1, keepdims=True)
    yield program(host, host.tensor(values), host.output(32, 32), expected, body)


@twin(KIND, "scaler-size")
def mean_over_padded_columns(host: Host) -> Launches:
    """A mean of 16 columns divides by the 32 that padding makes of them."""
    body = """
    compute_kernel_hw_startup(0, 2, 16);
    cb_wait_front(2, 1);
    cb_wait_front(0, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2, 16);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 2, 0, 0, 0);  // BUG
    pack_section(16);
    reduce_uninit();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(2, 1);
    """
    one_over = host.pick(buggy="0x3d003d00", fixed="0x3d803d80")  # 1/32, 1/16
    scaler = SCALER.replace("i % 128 < 8 ? 0x3f803f80", f"i % 256 < 8 ? {one_over}")  # columns 0 to 15
    values = (np.arange(8 * 16).reshape(8, 16) % 7).astype(np.float64)
    yield program(host, host.tensor(values), host.output(8, 1), values.mean(axis=1, keepdims=True), body, scaler)


@twin(KIND, "value-padding")
def product_over_padding(host: Host) -> Launches:
    """A matrix product runs over the padding of its inner dimension."""
    body = """
    compute_kernel_hw_startup<SrcOrder::Reverse>(0, 0, 16);
    matmul_init(0, 0);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    matmul_tiles(0, 0, 0, 0, 0);  // BUG
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    """
    width = host.pick(buggy=24, fixed=32)
    values = (np.arange(32 * width).reshape(32, width) % 3).astype(np.float64)
    expected = values @ values if width == 32 else np.zeros((32, 32))
    yield program(host, host.tensor(values), host.output(32, 32), expected, body, scaler="")


@twin(KIND, "value-uninitialised")
def tile_half_filled(host: Host) -> Launches:
    """An operand is filled in its upper half only; the sum is the first to look at the lower one."""
    half = SCALER.replace("i < 512", host.pick(buggy="i < 256", fixed="i < 512"))
    body = """
    compute_kernel_hw_startup(0, 2, 16);
    add_init(0, 2);
    cb_wait_front(2, 1);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    add_tiles(0, 2, 0, 0, 0);  // BUG
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(2, 1);
    """
    source, values = host.tiles(1)
    ones = np.zeros((32, 32))
    ones[[0, 16]] = 1
    yield program(host, source, host.output(32, 32), values + ones, body, half)


@twin(KIND, "broadcast-region")
def column_spread_as_a_row(host: Host) -> Launches:
    """A row maximum lies in a column and is spread as if it lay in a row."""
    body = """
    compute_kernel_hw_startup(0, 2, 16);
    cb_wait_front(2, 1);
    cb_wait_front(0, 1);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 2, 4);
    cb_reserve_back(4, 1);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 2, 0, 0, 0);
    pack_section(4);
    reduce_uninit();
    cb_push_back(4, 1);
    cb_wait_front(4, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    mul_bcast_rows_init_short(0, 4);      // -
    mul_tiles_bcast_rows(0, 4, 0, 0, 0);  // - BUG
    mul_bcast_cols_init_short(0, 4);      // +
    mul_tiles_bcast_cols(0, 4, 0, 0, 0);  // +
    pack_section(16);
    cb_push_back(16, 1);
    cb_pop_front(4, 1);
    cb_pop_front(0, 1);
    cb_pop_front(2, 1);
    """
    values = (np.arange(1024).reshape(32, 32) % 7).astype(np.float64)
    expected = values * values.max(axis=1, keepdims=True)
    yield program(host, host.tensor(values), host.output(32, 32), expected, body)
