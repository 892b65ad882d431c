# SPDX-License-Identifier: Apache-2.0
"""Compute kernels and writer of variance_w_rm; the reader is that of all row-wise operations."""

from __future__ import annotations

from tilewright.kernels import CompileTimeArg, RuntimeArg, TensorArg, compute_kernel, writer_kernel
from tilewright.kernels.api import cb_pop_front, compute_kernel_hw_startup
from tilewright.kernels.phases import (
    accumulate_row_mean,
    reduce_row_mean,
    square,
    sub_bcast_cols,
    tilize,
    untilize,
    write_sticks,
)
from tilewright.ops.row_kernels import TILE_ROWS, RowBuffers


class Buffers(RowBuffers):
    in_tiled = 1
    mean = 3
    centralized = 4
    squared = 5
    variance = 6


@writer_kernel
def write_column(
    output: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    element_bytes: CompileTimeArg,
    cb: Buffers,
) -> None:
    """The first element of every row: the output's sticks have only one."""
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        rows = min(TILE_ROWS, end - stick)
        write_sticks(output, cb.out_rm, stick, rows, 0, element_bytes, TILE_ROWS * element_bytes, 1)


@compute_kernel
def variance(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    inverse_width_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = mean of (in - mean)^2; the row's tiles stay in in_tiled until they are centred."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        for _ in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
        reduce_row_mean(
            cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True, partial=last_tile_columns != 32
        )
        for block in range(num_blocks):
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, block_tiles, keep_b=True)
            square(cb.centralized, cb.squared, block_tiles)
            accumulate_row_mean(
                cb.squared,
                cb.scaler,
                cb.variance,
                block_tiles,
                block_tiles,
                inverse_width_bits,
                is_first=block == 0,
                is_last=block == num_blocks - 1,
                partial=last_tile_columns != 32,
            )
        cb_pop_front(cb.mean, 1)
        untilize(cb.variance, cb.out_rm, 1)


@compute_kernel
def variance_streaming(
    num_tile_rows: RuntimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    inverse_width_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = mean of (in - mean)^2; every row comes twice, block by block."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    last = num_blocks - 1
    for _ in range(num_tile_rows):
        for block in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
            accumulate_row_mean(
                cb.in_tiled,
                cb.scaler,
                cb.mean,
                block_tiles,
                last_block_tiles if block == last else block_tiles,
                mean_factor_bits,
                is_first=block == 0,
                is_last=block == last,
                partial=last_tile_columns != 32,
            )
        for block in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, block_tiles, keep_b=True)
            square(cb.centralized, cb.squared, block_tiles)
            accumulate_row_mean(
                cb.squared,
                cb.scaler,
                cb.variance,
                block_tiles,
                last_block_tiles if block == last else block_tiles,
                inverse_width_bits,
                is_first=block == 0,
                is_last=block == last,
                partial=last_tile_columns != 32,
            )
        cb_pop_front(cb.mean, 1)
        untilize(cb.variance, cb.out_rm, 1)
