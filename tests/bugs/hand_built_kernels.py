# SPDX-License-Identifier: Apache-2.0
"""Kernels with the mistakes people made when they built these operations by hand. Each differs in one place."""

from __future__ import annotations

from tilewright._planner.row_kernels import TILE_ROWS, fill_row_scaler, read_blocks
from tilewright.kernels import (
    CB,
    CircularBuffers,
    CompileTimeArg,
    RuntimeArg,
    TensorArg,
    compute_kernel,
    kernel_function,
    reader_kernel,
)
from tilewright.kernels.api import (
    add_init,
    add_tiles,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    compute_kernel_hw_startup,
    get_write_ptr,
    noc_async_read,
    noc_async_read_barrier,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    rsqrt_tile,
    rsqrt_tile_init,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases import (
    copy,
    fill_scaler_tile,
    mul_bcast_cols,
    reduce_row_mean,
    square,
    sub_bcast_cols,
    tilize,
    untilize,
)


class CentralizeBuffers(CircularBuffers):
    """Those that centralize_w_rm had when it was built by hand."""

    in_rm = 0
    in_tiled = 1
    scaler = 2
    mean = 3
    centralized = 4
    out_rm = 16


class StandardizeBuffers(CircularBuffers):
    """Those of standardize_w_rm."""

    in_rm = 0
    in_tiled = 1
    scaler = 2
    mean = 3
    centralized = 4
    squared = 5
    variance = 6
    epsilon = 7
    inv_std = 8
    standardized = 9
    out_rm = 16


@compute_kernel
def centralize_without_pop(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: CentralizeBuffers,
) -> None:
    """The row's tiles are kept through the subtraction too, and no kernel pops them."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        tilize(cb.in_rm, cb.in_tiled, width_tiles)
        reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True)
        sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, width_tiles, keep_a=True)
        untilize(cb.centralized, cb.out_rm, width_tiles)


@compute_kernel
def centralize_mean_per_tile(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: CentralizeBuffers,
) -> None:
    """The one tile of means is popped with every tile of the row."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        tilize(cb.in_rm, cb.in_tiled, width_tiles)
        reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True)
        for _ in range(width_tiles):
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, 1)
        untilize(cb.centralized, cb.out_rm, width_tiles)


@compute_kernel
def centralize_without_untilize(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: CentralizeBuffers,
) -> None:
    """Tiles go to the writer as if they were sticks."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        tilize(cb.in_rm, cb.in_tiled, width_tiles)
        reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True)
        sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, width_tiles)
        copy(cb.centralized, cb.out_rm, width_tiles)


@reader_kernel
def read_rows_reserving_one_page(
    x: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    stick_bytes: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: CentralizeBuffers,
) -> None:
    """A stub of the reader: 32 whole sticks, Wt pages, into a reservation of one."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    for first in range(first_stick, first_stick + num_sticks, TILE_ROWS):
        cb_reserve_back(cb.in_rm, 1)
        address = get_write_ptr(cb.in_rm)
        for stick in range(first, first + TILE_ROWS):
            noc_async_read(x.get_noc_addr(stick), address, stick_bytes)
            address += stick_bytes
        noc_async_read_barrier()
        cb_push_back(cb.in_rm, 1)


@reader_kernel
def read_rows_in_stick_pages(
    x: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: CentralizeBuffers,
) -> None:
    """Pages of in_rm are sticks to this reader; tilize takes them for tiles."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    for first in range(first_stick, first_stick + num_sticks, TILE_ROWS):
        read_blocks(x, cb.in_rm, first, TILE_ROWS, stick_bytes, block_bytes, TILE_ROWS)


@reader_kernel
def read_rows_and_epsilon_scaler(
    x: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    epsilon_bits: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: StandardizeBuffers,
) -> None:
    """Epsilon comes from the generator of reduce scalers: row 0 of each face has it, the others have zero."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_scaler_tile(cb.epsilon, epsilon_bits)
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        read_blocks(x, cb.in_rm, stick, min(TILE_ROWS, end - stick), stick_bytes, block_bytes, block_tiles)


@kernel_function
def add_tiles_rsqrt(cb_in: CB, cb_epsilon: CB, cb_out: CB) -> None:
    """1 / sqrt(in + epsilon), element by element."""
    cb_wait_front(cb_in, 1)
    cb_wait_front(cb_epsilon, 1)
    cb_reserve_back(cb_out, 1)
    reconfig_data_format(cb_in, cb_epsilon)
    pack_reconfig_data_format(cb_out)
    add_init(cb_in, cb_epsilon)
    tile_regs_acquire()
    add_tiles(cb_in, cb_epsilon, 0, 0, 0)
    rsqrt_tile_init()
    rsqrt_tile(0)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)
    cb_pop_front(cb_in, 1)


@compute_kernel
def standardize_adding_epsilon_tiles(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: StandardizeBuffers,
) -> None:
    """variance + epsilon, element by element: right only if epsilon stands in column 0 of every row."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        tilize(cb.in_rm, cb.in_tiled, width_tiles)
        reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True)
        sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, width_tiles)
        square(cb.centralized, cb.squared, width_tiles, keep=True)
        reduce_row_mean(cb.squared, cb.scaler, cb.variance, width_tiles, mean_factor_bits)
        add_tiles_rsqrt(cb.variance, cb.epsilon, cb.inv_std)
        mul_bcast_cols(cb.centralized, cb.inv_std, cb.standardized, width_tiles)
        untilize(cb.standardized, cb.out_rm, width_tiles)
