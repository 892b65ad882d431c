# SPDX-License-Identifier: Apache-2.0
"""Kernels of layernorm_fused_rm. Sticks are pages here: a block is 32 of them."""

from __future__ import annotations

from tilewright.kernels import (
    CB,
    CircularBuffers,
    CompileTimeArg,
    RuntimeArg,
    TensorArg,
    compute_kernel,
    kernel_function,
    reader_kernel,
    uint32,
    writer_kernel,
)
from tilewright.kernels.api import (
    DST_ACCUM_MODE,
    BroadcastType,
    EltwiseBinaryReuseDestType,
    add_binary_tile,
    add_binary_tile_init,
    add_reuse_dest_init,
    add_reuse_dest_tiles,
    binop_with_scalar_tile_init,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    compute_kernel_hw_startup,
    mul_reuse_dest_init,
    mul_reuse_dest_tiles,
    mul_unary_tile,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    reconfig_data_format_srcb,
    square_tile,
    square_tile_init,
    sub_bcast_cols_init,
    sub_tiles_bcast_cols,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
    unary_bcast,
    unary_bcast_init,
)
from tilewright.kernels.phases import (
    Region,
    accumulate_row_mean,
    add_rsqrt,
    fill_constant_tile,
    phase,
    read_sticks,
    reduce_row_mean,
    tilize_sticks,
    untilize_sticks,
)
from tilewright.ops.row_kernels import TILE_ROWS, fill_row_scaler, read_blocks, read_vector, write_blocks

# 1 + 1.5 * 2^-10 as a float32: about what the four operands that normalize cuts to 10 mantissa bits lose together.
LIFT = 0x3F803000


class Buffers(CircularBuffers):
    in_rm = 0
    in_tiled = 1
    scaler = 2
    epsilon = 3
    gamma_rm = 4
    beta_rm = 5
    gamma_tiled = 6
    beta_tiled = 7
    out_rm = 16
    squared_sums = 24
    mean = 25
    variance = 26
    inv_std = 27


@reader_kernel
def read_rows_and_vectors(
    input_tensor: TensorArg,
    gamma: TensorArg,
    beta: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    epsilon_bits: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Scaler, epsilon, gamma and beta once, then tile-row after tile-row."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_constant_tile(cb.epsilon, epsilon_bits)
    for offset in range(0, stick_bytes, block_bytes):
        num_bytes = min(block_bytes, stick_bytes - offset)
        read_vector(gamma, cb.gamma_rm, offset, num_bytes, block_bytes, TILE_ROWS)
        read_vector(beta, cb.beta_rm, offset, num_bytes, block_bytes, TILE_ROWS)
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        read_blocks(input_tensor, cb.in_rm, stick, min(TILE_ROWS, end - stick), stick_bytes, block_bytes, TILE_ROWS)


@reader_kernel
def read_rows_and_vectors_streaming(
    input_tensor: TensorArg,
    gamma: TensorArg,
    beta: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    epsilon_bits: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Scaler and epsilon once; every tile-row three times, the last time beside the blocks of gamma and beta."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_constant_tile(cb.epsilon, epsilon_bits)
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        rows = min(TILE_ROWS, end - stick)
        for _ in range(2):
            read_blocks(input_tensor, cb.in_rm, stick, rows, stick_bytes, block_bytes, TILE_ROWS)
        for offset in range(0, stick_bytes, block_bytes):
            num_bytes = min(block_bytes, stick_bytes - offset)
            read_vector(gamma, cb.gamma_rm, offset, num_bytes, block_bytes, TILE_ROWS)
            read_vector(beta, cb.beta_rm, offset, num_bytes, block_bytes, TILE_ROWS)
            read_sticks(input_tensor, cb.in_rm, stick, rows, offset, num_bytes, block_bytes, TILE_ROWS)


@writer_kernel
def write_rows(
    output: TensorArg,
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    stick_bytes: CompileTimeArg,
    block_bytes: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Tile-row after tile-row, only sticks and columns that the tensor has."""
    end = first_stick + num_sticks
    for stick in range(first_stick, end, TILE_ROWS):
        write_blocks(output, cb.out_rm, stick, min(TILE_ROWS, end - stick), stick_bytes, block_bytes, TILE_ROWS)


@phase(
    waits={"cb_in": "first + num_tiles", "cb_mean": "1"},
    pops={"cb_in": "0", "cb_mean": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.TILE, "cb_mean": Region.COLUMN_0},
    gives={"cb_out": Region.TILE},
)
def sum_squared_differences(cb_in: CB, cb_mean: CB, cb_out: CB, first: uint32, num_tiles: uint32) -> None:
    """out = one tile: (in - mean)^2, summed over num_tiles tiles from page first on, element by element.

    Waits for first + num_tiles pages of cb_in and one of cb_mean, which all stay. Pushes one page of cb_out.
    """
    cb_wait_front(cb_in, first + num_tiles)
    cb_wait_front(cb_mean, 1)
    cb_reserve_back(cb_out, 1)
    reconfig_data_format(cb_in, cb_mean)
    pack_reconfig_data_format(cb_out)
    sub_bcast_cols_init(cb_in, cb_mean)
    square_tile_init()
    add_binary_tile_init()
    tile_regs_acquire()
    for i in range(num_tiles):
        # Slot 0 has the sum; the others take turns.
        slot = 0 if i == 0 else 1 + i % 2
        sub_tiles_bcast_cols(cb_in, cb_mean, first + i, 0, slot)
        square_tile(slot)
        if i != 0:
            add_binary_tile(0, slot, 0)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)


@kernel_function
def accumulate_variance(
    num_tiles: uint32,
    is_first: bool,
    is_last: bool,
    mean_factor_bits: CompileTimeArg,
    partial: CompileTimeArg[bool],
    cb: Buffers,
) -> None:
    """What num_tiles tiles of in_tiled, which stay there, add to the variance.

    If partial, the last tile of the last block stays apart: its padding must not meet other tiles' columns.
    """
    num_apart = 1 if partial and is_last else 0
    num_whole = num_tiles - num_apart
    if num_whole != 0:
        sum_squared_differences(cb.in_tiled, cb.mean, cb.squared_sums, 0, num_whole)
        accumulate_row_mean(
            cb.squared_sums,
            cb.scaler,
            cb.variance,
            1,
            1,
            mean_factor_bits,
            is_first=is_first,
            is_last=is_last and num_apart == 0,
        )
    if num_apart != 0:
        sum_squared_differences(cb.in_tiled, cb.mean, cb.squared_sums, num_whole, 1)
        accumulate_row_mean(
            cb.squared_sums,
            cb.scaler,
            cb.variance,
            1,
            1,
            mean_factor_bits,
            is_first=is_first and num_whole == 0,
            is_last=True,
            partial=partial,
        )


@phase(
    waits={"cb_in": "1"},
    pops={"cb_in": "1"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.COLUMN_0},
    gives={"cb_out": Region.TILE},
)
def spread_columns(cb_in: CB, cb_out: CB, factor_bits: uint32) -> None:
    """out = column 0 of in, in every column, times a float32.

    Waits for and pops one page of cb_in, pushes one page of cb_out, which may be the same buffer.
    """
    cb_wait_front(cb_in, 1)
    cb_reserve_back(cb_out, 1)
    reconfig_data_format(cb_in, cb_in)
    pack_reconfig_data_format(cb_out)
    unary_bcast_init[BroadcastType.COL](cb_in)
    tile_regs_acquire()
    unary_bcast[BroadcastType.COL](cb_in, 0, 0)
    binop_with_scalar_tile_init()
    mul_unary_tile(0, factor_bits)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)
    cb_pop_front(cb_in, 1)


@phase(
    waits={
        "cb_in": "num_tiles",
        "cb_mean": "1",
        "cb_inv_std": "1",
        "cb_gamma": "num_tiles",
        "cb_beta": "num_tiles",
    },
    pops={"cb_in": "num_tiles", "cb_mean": "0", "cb_inv_std": "0", "cb_gamma": "0", "cb_beta": "0"},
    pushes={"cb_out": "num_tiles"},
    needs={
        "cb_in": Region.TILE,
        "cb_mean": Region.COLUMN_0,
        "cb_inv_std": Region.TILE,
        "cb_gamma": Region.TILE,
        "cb_beta": Region.TILE,
    },
    gives={"cb_out": Region.TILE},
)
def normalize(cb_in: CB, cb_mean: CB, cb_inv_std: CB, cb_gamma: CB, cb_beta: CB, cb_out: CB, num_tiles: uint32) -> None:
    """out = (in - mean) * inv_std * gamma + beta, without leaving DST between the steps.

    Waits for num_tiles pages of cb_in, which it pops at the end, so that cb_out may be the same buffer, and of cb_gamma
    and cb_beta, and one of cb_mean and cb_inv_std, which all stay. Pushes num_tiles pages of cb_out.
    """
    dst_tiles = 4 if DST_ACCUM_MODE else 8
    cb_wait_front(cb_in, num_tiles)
    cb_wait_front(cb_mean, 1)
    cb_wait_front(cb_inv_std, 1)
    cb_wait_front(cb_gamma, num_tiles)
    cb_wait_front(cb_beta, num_tiles)
    cb_reserve_back(cb_out, num_tiles)
    pack_reconfig_data_format(cb_out)
    for first in range(0, num_tiles, dst_tiles):
        count = min(dst_tiles, num_tiles - first)
        tile_regs_acquire()
        reconfig_data_format(cb_in, cb_mean)
        sub_bcast_cols_init(cb_in, cb_mean)
        for slot in range(count):
            sub_tiles_bcast_cols(cb_in, cb_mean, first + slot, 0, slot)
        reconfig_data_format_srcb(cb_inv_std)
        mul_reuse_dest_init[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_inv_std)
        for slot in range(count):
            mul_reuse_dest_tiles[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_inv_std, 0, slot)
        reconfig_data_format_srcb(cb_gamma)
        mul_reuse_dest_init[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_gamma)
        for slot in range(count):
            mul_reuse_dest_tiles[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_gamma, first + slot, slot)
        add_reuse_dest_init[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_beta)
        for slot in range(count):
            add_reuse_dest_tiles[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_beta, first + slot, slot)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)
    cb_pop_front(cb_in, num_tiles)


@compute_kernel
def layernorm(
    num_tile_rows: RuntimeArg,
    width_tiles: CompileTimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = (in - mean) / sqrt(variance + epsilon) * gamma + beta; the row's tiles stay until they are normalised."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    partial = last_tile_columns != 32
    for _ in range(num_blocks):
        tilize_sticks(cb.gamma_rm, cb.gamma_tiled, block_tiles)
        tilize_sticks(cb.beta_rm, cb.beta_tiled, block_tiles)
    for _ in range(num_tile_rows):
        for _ in range(num_blocks):
            tilize_sticks(cb.in_rm, cb.in_tiled, block_tiles)
        reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True, partial=partial)
        accumulate_variance(width_tiles, True, True, mean_factor_bits, partial, cb)
        add_rsqrt(cb.variance, cb.epsilon, cb.inv_std)
        spread_columns(cb.inv_std, cb.inv_std, LIFT)
        normalize(cb.in_tiled, cb.mean, cb.inv_std, cb.gamma_tiled, cb.beta_tiled, cb.in_tiled, width_tiles)
        cb_pop_front(cb.mean, 1)
        cb_pop_front(cb.inv_std, 1)
        for _ in range(num_blocks):
            untilize_sticks(cb.in_tiled, cb.out_rm, block_tiles)


@compute_kernel
def layernorm_streaming(
    num_tile_rows: RuntimeArg,
    num_blocks: CompileTimeArg,
    block_tiles: CompileTimeArg,
    last_block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    mean_factor_bits: CompileTimeArg,
    cb: Buffers,
) -> None:
    """out = (in - mean) / sqrt(variance + epsilon) * gamma + beta; every row comes three times, block by block."""
    compute_kernel_hw_startup(cb.in_rm, cb.scaler, cb.out_rm)
    last = num_blocks - 1
    partial = last_tile_columns != 32
    for _ in range(num_tile_rows):
        for block in range(num_blocks):
            tilize_sticks(cb.in_rm, cb.in_tiled, block_tiles)
            accumulate_row_mean(
                cb.in_tiled,
                cb.scaler,
                cb.mean,
                block_tiles,
                last_block_tiles if block == last else block_tiles,
                mean_factor_bits,
                is_first=block == 0,
                is_last=block == last,
                partial=partial,
            )
        for block in range(num_blocks):
            tilize_sticks(cb.in_rm, cb.in_tiled, block_tiles)
            num_tiles = last_block_tiles if block == last else block_tiles
            accumulate_variance(num_tiles, block == 0, block == last, mean_factor_bits, partial, cb)
            cb_pop_front(cb.in_tiled, block_tiles)
        add_rsqrt(cb.variance, cb.epsilon, cb.inv_std)
        spread_columns(cb.inv_std, cb.inv_std, LIFT)
        for _ in range(num_blocks):
            tilize_sticks(cb.gamma_rm, cb.gamma_tiled, block_tiles)
            tilize_sticks(cb.beta_rm, cb.beta_tiled, block_tiles)
            tilize_sticks(cb.in_rm, cb.in_tiled, block_tiles)
            normalize(cb.in_tiled, cb.mean, cb.inv_std, cb.gamma_tiled, cb.beta_tiled, cb.in_tiled, block_tiles)
            untilize_sticks(cb.in_tiled, cb.out_rm, block_tiles)
            cb_pop_front(cb.gamma_tiled, block_tiles)
            cb_pop_front(cb.beta_tiled, block_tiles)
        cb_pop_front(cb.mean, 1)
        cb_pop_front(cb.inv_std, 1)
