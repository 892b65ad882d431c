# SPDX-License-Identifier: Apache-2.0
"""A row of tiles becomes one number per row, in column 0 of one tile.

The scaler tile holds the factor of each column in row 0 of its faces (`scaler.py` makes it): 1.0 for a plain sum. Sums
are exact products added in float32 with 32-bit DST. For a mean, multiply the sum in DST (`reduce_row_mean`): a scaler
of 1/W would be rounded to the scaler's format first.
"""

from __future__ import annotations

from tilewright.kernels._language import kernel_function
from tilewright.kernels._parameters import CompileTimeArg
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    PoolType,
    ReduceDim,
    binop_with_scalar_tile_init,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    mul_unary_tile,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    reduce_init,
    reduce_tile,
    reduce_uninit,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Region, phase


@kernel_function
def add_row_sums(cb_in: CB, cb_scaler: CB, cb_out: CB, num_tiles: uint32, partial: CompileTimeArg[bool]) -> None:
    """DST slot 0, column 0 += the sums of num_tiles tiles; the last one by page 1 of cb_scaler if partial."""
    # A row sum is a product with the data on SrcB.
    reconfig_data_format(cb_scaler, cb_in)
    reduce_init[PoolType.SUM, ReduceDim.REDUCE_ROW](cb_in, cb_scaler, cb_out)
    if partial:
        for i in range(num_tiles - 1):
            reduce_tile[PoolType.SUM, ReduceDim.REDUCE_ROW](cb_in, cb_scaler, i, 0, 0)
        reduce_tile[PoolType.SUM, ReduceDim.REDUCE_ROW](cb_in, cb_scaler, num_tiles - 1, 1, 0)
    else:
        for i in range(num_tiles):
            reduce_tile[PoolType.SUM, ReduceDim.REDUCE_ROW](cb_in, cb_scaler, i, 0, 0)


@kernel_function
def pack_reduced(cb_out: CB) -> None:
    """DST slot 0 becomes one page of cb_out."""
    cb_reserve_back(cb_out, 1)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    reduce_uninit()
    cb_push_back(cb_out, 1)


@phase(
    waits={"cb_in": "num_tiles", "cb_scaler": "2 if partial else 1"},
    pops={"cb_in": "0 if keep else num_tiles", "cb_scaler": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.COLUMN_0},
)
def reduce_row_sum(
    cb_in: CB,
    cb_scaler: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep: CompileTimeArg[bool] = False,
    partial: CompileTimeArg[bool] = False,
) -> None:
    """Column 0 of out = the sum over each row of num_tiles tiles, times the scaler.

    partial: page 1 of cb_scaler is for the last tile.
    """
    cb_wait_front(cb_in, num_tiles)
    cb_wait_front(cb_scaler, 2 if partial else 1)
    pack_reconfig_data_format(cb_out)
    tile_regs_acquire()
    add_row_sums(cb_in, cb_scaler, cb_out, num_tiles, partial)
    pack_reduced(cb_out)
    if not keep:
        cb_pop_front(cb_in, num_tiles)


@phase(
    waits={"cb_in": "num_tiles", "cb_scaler": "2 if partial else 1"},
    pops={"cb_in": "0 if keep else num_tiles", "cb_scaler": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.COLUMN_0},
)
def reduce_row_mean(
    cb_in: CB,
    cb_scaler: CB,
    cb_out: CB,
    num_tiles: uint32,
    factor_bits: uint32,
    keep: CompileTimeArg[bool] = False,
    partial: CompileTimeArg[bool] = False,
) -> None:
    """Column 0 of out = the sum over each row of num_tiles tiles, times the scaler, times a float32.

    factor_bits are the bits of the float32, usually 1/W; the product is taken in DST, before packing. Waits, pops and
    pushes as reduce_row_sum.
    """
    cb_wait_front(cb_in, num_tiles)
    cb_wait_front(cb_scaler, 2 if partial else 1)
    pack_reconfig_data_format(cb_out)
    tile_regs_acquire()
    add_row_sums(cb_in, cb_scaler, cb_out, num_tiles, partial)
    binop_with_scalar_tile_init()
    mul_unary_tile(0, factor_bits)
    pack_reduced(cb_out)
    if not keep:
        cb_pop_front(cb_in, num_tiles)


@phase(
    waits={"cb_in": "num_tiles", "cb_scaler": "1"},
    pops={"cb_in": "0 if keep else num_tiles", "cb_scaler": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.COLUMN_0},
)
def reduce_row_max(cb_in: CB, cb_scaler: CB, cb_out: CB, num_tiles: uint32, keep: CompileTimeArg[bool] = False) -> None:
    """Column 0 of out = the largest value in each row of num_tiles tiles, times the scaler."""
    cb_wait_front(cb_in, num_tiles)
    cb_wait_front(cb_scaler, 1)
    reconfig_data_format(cb_in, cb_scaler)
    pack_reconfig_data_format(cb_out)
    reduce_init[PoolType.MAX, ReduceDim.REDUCE_ROW](cb_in, cb_scaler, cb_out)
    tile_regs_acquire()
    for i in range(num_tiles):
        reduce_tile[PoolType.MAX, ReduceDim.REDUCE_ROW](cb_in, cb_scaler, i, 0, 0)
    pack_reduced(cb_out)
    if not keep:
        cb_pop_front(cb_in, num_tiles)
