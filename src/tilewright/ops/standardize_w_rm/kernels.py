# SPDX-License-Identifier: Apache-2.0
"""Kernels of standardize_w_rm; the writer is that of all row-wise operations."""

from __future__ import annotations

from tilewright.kernels import CompileTimeArg, RuntimeArg, TensorArg, compute_kernel, reader_kernel
from tilewright.kernels.api import cb_pop_front, compute_kernel_hw_startup
from tilewright.kernels.phases import (
    accumulate_row_mean,
    add_rsqrt,
    fill_constant_tile,
    mul_bcast_cols,
    reduce_row_mean,
    square,
    sub_bcast_cols,
    tilize,
    untilize,
)
from tilewright.ops.row_kernels import TILE_ROWS, RowBuffers, fill_row_scaler, read_blocks


class Buffers(RowBuffers):
    in_tiled = 1
    mean = 3
    centralized = 4
    squared = 5
    variance = 6
    epsilon = 7
    inv_std = 8
    standardized = 9


@reader_kernel
def read_rows_and_epsilon(
    input_tensor: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    epsilon_bits: RuntimeArg,
    num_passes: CompileTimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Scaler and epsilon once, then tile-row after tile-row, each as often as compute passes over it."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_constant_tile(cb.epsilon, epsilon_bits)
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        for _ in range(num_passes):
            read_blocks(
                input_tensor, cb.in_rm, stick, min(TILE_ROWS, end - stick), stick_bytes, block_bytes, block_tiles
            )


@compute_kernel
def standardize(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = (in - mean) / sqrt(variance + epsilon); the centred row stays until it is scaled."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        for _ in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
        reduce_row_mean(
            cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True, partial=last_tile_columns != 32
        )
        sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, width_tiles)
        for block in range(num_blocks):
            square(cb.centralized, cb.squared, block_tiles, keep=True, first=block * block_tiles)
            accumulate_row_mean(
                cb.squared,
                cb.scaler,
                cb.variance,
                block_tiles,
                block_tiles,
                mean_factor_bits,
                is_first=block == 0,
                is_last=block == num_blocks - 1,
                partial=last_tile_columns != 32,
            )
        add_rsqrt(cb.variance, cb.epsilon, cb.inv_std)
        for _ in range(num_blocks):
            mul_bcast_cols(cb.centralized, cb.inv_std, cb.standardized, block_tiles, keep_b=True)
            untilize(cb.standardized, cb.out_rm, block_tiles)
        cb_pop_front(cb.inv_std, 1)


@compute_kernel
def standardize_streaming(
    num_tile_rows: RuntimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = (in - mean) / sqrt(variance + epsilon); every row comes three times, block by block."""
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
                mean_factor_bits,
                is_first=block == 0,
                is_last=block == last,
                partial=last_tile_columns != 32,
            )
        add_rsqrt(cb.variance, cb.epsilon, cb.inv_std)
        for _ in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, block_tiles, keep_b=True)
            mul_bcast_cols(cb.centralized, cb.inv_std, cb.standardized, block_tiles, keep_b=True)
            untilize(cb.standardized, cb.out_rm, block_tiles)
        cb_pop_front(cb.mean, 1)
        cb_pop_front(cb.inv_std, 1)
