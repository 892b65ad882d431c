# SPDX-License-Identifier: Apache-2.0
"""Compute kernels of centralize_w_rm; reader and writer are those of all row-wise operations."""

from __future__ import annotations

from tilewright.kernels import CompileTimeArg, RuntimeArg, compute_kernel
from tilewright.kernels.api import cb_pop_front, compute_kernel_hw_startup
from tilewright.kernels.phases import (
    accumulate_row_mean,
    reduce_row_mean,
    sub_bcast_cols,
    tilize,
    untilize,
)
from tilewright.ops.row_kernels import RowBuffers


class Buffers(RowBuffers):
    in_tiled = 1
    mean = 3
    centralized = 4


@compute_kernel
def centralize(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = in - mean; the row's tiles stay in in_tiled until they are centred."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        for _ in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
        reduce_row_mean(
            cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True, partial=last_tile_columns != 32
        )
        for _ in range(num_blocks):
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, block_tiles, keep_b=True)
            untilize(cb.centralized, cb.out_rm, block_tiles)
        cb_pop_front(cb.mean, 1)


@compute_kernel
def centralize_streaming(
    num_tile_rows: RuntimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = in - mean; every row comes twice, block by block."""
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
        for _ in range(num_blocks):
            tilize(cb.in_rm, cb.in_tiled, block_tiles)
            sub_bcast_cols(cb.in_tiled, cb.mean, cb.centralized, block_tiles, keep_b=True)
            untilize(cb.centralized, cb.out_rm, block_tiles)
        cb_pop_front(cb.mean, 1)
