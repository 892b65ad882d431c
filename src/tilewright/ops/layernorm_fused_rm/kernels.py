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
    BroadcastType,
    DataFormat,
    EltwiseBinaryReuseDestType,
    addcmul_tile,
    addcmul_tile_init,
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
    pack_untilize_dest,
    pack_untilize_dest_init,
    pack_untilize_uninit,
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
)
from tilewright.ops.row_kernels import (
    FLOAT32_ONE,
    TILE_ROWS,
    fill_row_scaler,
    read_blocks,
    read_vector_row,
    write_blocks,
)

# 1 + 2^-10 as a float32: about what the two operands that normalize multiplies, both cut, lose together.
LIFT = 0x3F802000


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
    block_tiles: CompileTimeArg,
    last_tile_columns: CompileTimeArg,
    cb: Buffers,
) -> None:
    """Scaler, epsilon, gamma and beta once, then tile-row after tile-row."""
    fill_row_scaler(cb.scaler, last_tile_columns)
    fill_constant_tile(cb.epsilon, epsilon_bits)
    for offset in range(0, stick_bytes, block_bytes):
        num_bytes = min(block_bytes, stick_bytes - offset)
        read_vector_row(gamma, cb.gamma_rm, cb.gamma_tiled, offset, num_bytes, block_bytes, block_tiles)
        read_vector_row(beta, cb.beta_rm, cb.beta_tiled, offset, num_bytes, block_bytes, block_tiles)
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
    block_tiles: CompileTimeArg,
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
            read_vector_row(gamma, cb.gamma_rm, cb.gamma_tiled, offset, num_bytes, block_bytes, block_tiles)
            read_vector_row(beta, cb.beta_rm, cb.beta_tiled, offset, num_bytes, block_bytes, block_tiles)
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
    tile_regs_acquire()
    sub_tiles_bcast_cols(cb_in, cb_mean, first, 0, 0)
    square_tile_init()
    square_tile(0)
    addcmul_tile_init()
    for i in range(1, num_tiles):
        # Slot 0 has the sum; the others take turns.
        slot = 1 + i % 2
        sub_tiles_bcast_cols(cb_in, cb_mean, first + i, 0, slot)
        addcmul_tile[DataFormat.Float32](0, slot, slot, 0, FLOAT32_ONE)
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
        "cb_gamma": "first + num_tiles",
        "cb_beta": "first + num_tiles",
    },
    pops={
        "cb_in": "num_tiles",
        "cb_mean": "0",
        "cb_inv_std": "0",
        "cb_gamma": "0",
        "cb_beta": "0",
    },
    pushes={"cb_out": "32"},
    needs={
        "cb_in": Region.TILE,
        "cb_mean": Region.COLUMN_0,
        "cb_inv_std": Region.TILE,
        "cb_gamma": Region.ROW_0,
        "cb_beta": Region.ROW_0,
    },
    gives={"cb_out": Region.ROWS},
)
def normalize(
    cb_in: CB,
    cb_mean: CB,
    cb_inv_std: CB,
    cb_gamma: CB,
    cb_beta: CB,
    cb_out: CB,
    first: uint32,
    num_tiles: CompileTimeArg,
) -> None:
    """out = (in - mean) * inv_std * gamma + beta, as 32 rows; gamma and beta from page first on.

    Waits for and pops num_tiles pages of cb_in; waits for one page of cb_mean and cb_inv_std and for first + num_tiles
    of cb_gamma and cb_beta, which all stay. Pushes 32 pages of cb_out.
    """
    # The smallest DST has four tiles: two of the row, one of gamma, one of beta.
    group = 2 if num_tiles % 2 == 0 else 1
    cb_wait_front(cb_in, num_tiles)
    cb_wait_front(cb_mean, 1)
    cb_wait_front(cb_inv_std, 1)
    cb_wait_front(cb_gamma, first + num_tiles)
    cb_wait_front(cb_beta, first + num_tiles)
    cb_reserve_back(cb_out, 32)
    pack_reconfig_data_format(cb_out)
    pack_untilize_dest_init[group, num_tiles](cb_out)
    for index in range(num_tiles // group):
        begin = index * group
        tile_regs_acquire()
        reconfig_data_format(cb_in, cb_mean)
        sub_bcast_cols_init(cb_in, cb_mean)
        for slot in range(group):
            sub_tiles_bcast_cols(cb_in, cb_mean, begin + slot, 0, slot)
        reconfig_data_format_srcb(cb_inv_std)
        mul_reuse_dest_init[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_inv_std)
        for slot in range(group):
            mul_reuse_dest_tiles[EltwiseBinaryReuseDestType.DEST_TO_SRCA](cb_inv_std, 0, slot)
        # Gamma and beta meet the row in the vector unit, which cuts nothing.
        reconfig_data_format(cb_gamma, cb_gamma)
        unary_bcast_init[BroadcastType.ROW](cb_gamma)
        addcmul_tile_init()
        for slot in range(group):
            unary_bcast[BroadcastType.ROW](cb_gamma, first + begin + slot, 2)
            unary_bcast[BroadcastType.ROW](cb_beta, first + begin + slot, 3)
            addcmul_tile[DataFormat.Float32](3, slot, 2, slot, FLOAT32_ONE)
        tile_regs_commit()
        tile_regs_wait()
        pack_untilize_dest[group, num_tiles](cb_out, 1, index)
        tile_regs_release()
    pack_untilize_uninit(cb_out)
    cb_push_back(cb_out, 32)
    cb_pop_front(cb_in, num_tiles)


@kernel_function
def normalize_block(first: uint32, block_tiles: CompileTimeArg, cb: Buffers) -> None:
    """The next block of in_tiled becomes the result's rows; first is its place in gamma and beta."""
    normalize(
        cb.in_tiled,
        cb.mean,
        cb.inv_std,
        cb.gamma_tiled,
        cb.beta_tiled,
        cb.out_rm,
        first,
        block_tiles,
    )


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
    for _ in range(num_tile_rows):
        for _ in range(num_blocks):
            tilize_sticks(cb.in_rm, cb.in_tiled, block_tiles)
        reduce_row_mean(cb.in_tiled, cb.scaler, cb.mean, width_tiles, mean_factor_bits, keep=True, partial=partial)
        accumulate_variance(width_tiles, True, True, mean_factor_bits, partial, cb)
        add_rsqrt(cb.variance, cb.epsilon, cb.inv_std)
        spread_columns(cb.inv_std, cb.inv_std, LIFT)
        for block in range(num_blocks):
            normalize_block(block * block_tiles, block_tiles, cb)
        cb_pop_front(cb.mean, 1)
        cb_pop_front(cb.inv_std, 1)


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
            tilize_sticks(cb.in_rm, cb.in_tiled, block_tiles)
            normalize_block(0, block_tiles, cb)
            cb_pop_front(cb.gamma_tiled, block_tiles)
            cb_pop_front(cb.beta_tiled, block_tiles)
        cb_pop_front(cb.mean, 1)
        cb_pop_front(cb.inv_std, 1)
