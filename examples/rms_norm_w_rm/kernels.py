# SPDX-License-Identifier: Apache-2.0
"""Kernels of rms_norm_w_rm: rows divided by their root mean square, times gamma."""

from __future__ import annotations

from tilewright.kernels import (
    CircularBuffers,
    CompileTimeArg,
    RuntimeArg,
    TensorArg,
    compute_kernel,
    phases,
    reader_kernel,
    writer_kernel,
)
from tilewright.kernels.api import cb_pop_front, compute_kernel_hw_startup
from tilewright.kernels.phases import fill_constant_tile, read_sticks
from tilewright.ops.row_kernels import TILE_ROWS, fill_row_scaler, read_blocks, read_vector, write_blocks


class Buffers(CircularBuffers):
    in_rm = 0
    in_tiled = 1
    scaler = 2
    squared = 3
    mean_square = 4
    epsilon = 5
    inv_rms = 6
    gamma_rm = 7
    gamma_tiled = 8
    normalized = 9
    scaled = 10
    out_rm = 16


# One line for each phase.
tilize_gamma = phases.tilize
tilize_row = phases.tilize
square_row = phases.square
mean_square = phases.accumulate_row_mean
inv_rms = phases.add_rsqrt
normalize = phases.mul_bcast_cols
scale = phases.mul_bcast_rows
untilize_row = phases.untilize


@reader_kernel
def read_rows(
    input_tensor: TensorArg,
    gamma: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    epsilon_bits: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Scaler, epsilon, gamma once, then tile-row after tile-row."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_constant_tile(cb.epsilon, epsilon_bits)
    for offset in range(0, stick_bytes, block_bytes):
        num_bytes = min(block_bytes, stick_bytes - offset)
        read_vector(gamma, cb.gamma_rm, offset, num_bytes, block_bytes, block_tiles)
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        read_blocks(input_tensor, cb.in_rm, stick, min(TILE_ROWS, end - stick), stick_bytes, block_bytes, block_tiles)


@reader_kernel
def read_rows_streaming(
    input_tensor: TensorArg,
    gamma: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    epsilon_bits: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Every tile-row 2 times; the blocks of vectors come beside those they meet."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_constant_tile(cb.epsilon, epsilon_bits)
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        rows = min(TILE_ROWS, end - stick)
        read_blocks(input_tensor, cb.in_rm, stick, rows, stick_bytes, block_bytes, block_tiles)
        for offset in range(0, stick_bytes, block_bytes):
            num_bytes = min(block_bytes, stick_bytes - offset)
            read_vector(gamma, cb.gamma_rm, offset, num_bytes, block_bytes, block_tiles)
            read_sticks(input_tensor, cb.in_rm, stick, rows, offset, num_bytes, block_bytes, block_tiles)


@writer_kernel
def write_rows(
    output: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    block_tiles: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Tile-row after tile-row, only sticks and columns that the tensor has."""
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        write_blocks(output, cb.out_rm, stick, min(TILE_ROWS, end - stick), stick_bytes, block_bytes, block_tiles)


@compute_kernel
def compute_rows(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    inverse_width_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """y = x / sqrt(mean(x^2) + epsilon) * gamma over the last dimension; a tile-row stays in L1 until it is done."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_blocks):
        tilize_gamma(cb.gamma_rm, cb.gamma_tiled, block_tiles)
    for _ in range(num_tile_rows):
        for block in range(num_blocks):
            tilize_row(cb.in_rm, cb.in_tiled, block_tiles)
            square_row(cb.in_tiled, cb.squared, block_tiles, keep=True, first=block * block_tiles)
            mean_square(
                cb.squared,
                cb.scaler,
                cb.mean_square,
                block_tiles,
                block_tiles,
                inverse_width_bits,
                is_first=block == 0,
                is_last=block == num_blocks - 1,
                partial=last_tile_columns != 32,
            )
        inv_rms(cb.mean_square, cb.epsilon, cb.inv_rms)
        normalize(cb.in_tiled, cb.inv_rms, cb.normalized, width_tiles)
        scale(cb.normalized, cb.gamma_tiled, cb.scaled, width_tiles, keep_b=True)
        for _ in range(num_blocks):
            untilize_row(cb.scaled, cb.out_rm, block_tiles)


@compute_kernel
def compute_rows_streaming(
    num_tile_rows: RuntimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    inverse_width_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """y = x / sqrt(mean(x^2) + epsilon) * gamma over the last dimension; every row comes 2 times, block by block."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    for _ in range(num_tile_rows):
        for block in range(num_blocks):
            tilize_row(cb.in_rm, cb.in_tiled, block_tiles)
            square_row(cb.in_tiled, cb.squared, block_tiles)
            mean_square(
                cb.squared,
                cb.scaler,
                cb.mean_square,
                block_tiles,
                last_block_tiles if block == num_blocks - 1 else block_tiles,
                inverse_width_bits,
                is_first=block == 0,
                is_last=block == num_blocks - 1,
                partial=last_tile_columns != 32,
            )
        inv_rms(cb.mean_square, cb.epsilon, cb.inv_rms)
        for _ in range(num_blocks):
            tilize_gamma(cb.gamma_rm, cb.gamma_tiled, block_tiles)
            tilize_row(cb.in_rm, cb.in_tiled, block_tiles)
            normalize(cb.in_tiled, cb.inv_rms, cb.normalized, block_tiles, keep_b=True)
            scale(cb.normalized, cb.gamma_tiled, cb.scaled, block_tiles)
            untilize_row(cb.scaled, cb.out_rm, block_tiles)
        cb_pop_front(cb.inv_rms, 1)
