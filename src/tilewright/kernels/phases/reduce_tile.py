# SPDX-License-Identifier: Apache-2.0
"""A tile becomes one number per column, in row 0, or one number, in element [0,0].

The tile holds what other tiles were added up to, or the largest of them, element by element: one reduction is left.
"""

from __future__ import annotations

from tilewright.kernels._language import kernel_function
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
    pack_reconfig_l1_acc,
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
from tilewright.kernels.phases.reduce import pack_reduced


@kernel_function
def begin_reduction(cb_in: CB, cb_scaler: CB, cb_out: CB) -> None:
    """Waits for a tile and its scaler, and sets the units up for their formats."""
    cb_wait_front(cb_in, 1)
    cb_wait_front(cb_scaler, 1)
    reconfig_data_format(cb_in, cb_scaler)
    pack_reconfig_data_format(cb_out)


@kernel_function
def add_to_page(cb_out: CB, factor_bits: uint32, is_first: bool, is_last: bool) -> None:
    """DST slot 0, times a float32, is added to the page of cb_out that is being made; it is pushed after the last."""
    binop_with_scalar_tile_init()
    mul_unary_tile(0, factor_bits)
    tile_regs_commit()
    if is_first:
        cb_reserve_back(cb_out, 1)
    tile_regs_wait()
    pack_reconfig_l1_acc(0 if is_first else 1)
    pack_tile[True](0, cb_out, 0)
    pack_reconfig_l1_acc(0)
    tile_regs_release()
    reduce_uninit()
    if is_last:
        cb_push_back(cb_out, 1)


@phase(
    waits={"cb_in": "1", "cb_scaler": "1"},
    pops={"cb_in": "1", "cb_scaler": "0"},
    pushes={"cb_out": "1 if is_last else 0"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.ROW_0},
)
def accumulate_column_mean(
    cb_in: CB, cb_scaler: CB, cb_out: CB, factor_bits: uint32, is_first: bool, is_last: bool
) -> None:
    """Row 0 of out = the sum over each column of several tiles, times the scaler, times a float32.

    Called once for each tile; the first starts the sum, the last ends it and pushes. cb_out must be Float32: the
    packer adds in its format.
    """
    begin_reduction(cb_in, cb_scaler, cb_out)
    reduce_init[PoolType.SUM, ReduceDim.REDUCE_COL](cb_in, cb_scaler, cb_out)
    tile_regs_acquire()
    reduce_tile[PoolType.SUM, ReduceDim.REDUCE_COL](cb_in, cb_scaler, 0, 0, 0)
    add_to_page(cb_out, factor_bits, is_first, is_last)
    cb_pop_front(cb_in, 1)


@phase(
    waits={"cb_in": "first + num_tiles", "cb_scaler": "1"},
    pops={"cb_in": "0", "cb_scaler": "0"},
    pushes={"cb_out": "1 if is_last else 0"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.ROW_0},
)
def accumulate_block_column_mean(
    cb_in: CB,
    cb_scaler: CB,
    cb_out: CB,
    first: uint32,
    num_tiles: uint32,
    factor_bits: uint32,
    is_first: bool,
    is_last: bool,
) -> None:
    """Row 0 of out = the sum over each column of blocks of tiles, times the scaler, times a float32.

    Called once for each block of num_tiles tiles, from tile first of cb_in on; the first starts the sum, the last ends
    it and pushes. The matrix unit adds up a block, so cb_in should be no Float32, of which it takes 9 mantissa bits.
    cb_out must be Float32: the packer adds in its format.
    """
    begin_reduction(cb_in, cb_scaler, cb_out)
    reduce_init[PoolType.SUM, ReduceDim.REDUCE_COL](cb_in, cb_scaler, cb_out)
    tile_regs_acquire()
    for tile in range(first, first + num_tiles):
        cb_wait_front(cb_in, tile + 1)
        reduce_tile[PoolType.SUM, ReduceDim.REDUCE_COL](cb_in, cb_scaler, tile, 0, 0)
    add_to_page(cb_out, factor_bits, is_first, is_last)


@phase(
    waits={"cb_in": "1", "cb_scaler": "1"},
    pops={"cb_in": "1", "cb_scaler": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.ROW_0},
)
def reduce_column_max(cb_in: CB, cb_scaler: CB, cb_out: CB) -> None:
    """Row 0 of out = the largest value of each column of a tile, times the scaler."""
    begin_reduction(cb_in, cb_scaler, cb_out)
    reduce_init[PoolType.MAX, ReduceDim.REDUCE_COL](cb_in, cb_scaler, cb_out)
    tile_regs_acquire()
    reduce_tile[PoolType.MAX, ReduceDim.REDUCE_COL](cb_in, cb_scaler, 0, 0, 0)
    pack_reduced(cb_out)
    cb_pop_front(cb_in, 1)


@phase(
    waits={"cb_in": "1", "cb_scaler": "1"},
    pops={"cb_in": "1", "cb_scaler": "0"},
    pushes={"cb_out": "1 if is_last else 0"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.ELEMENT},
)
def accumulate_tile_mean(
    cb_in: CB, cb_scaler: CB, cb_out: CB, factor_bits: uint32, is_first: bool, is_last: bool
) -> None:
    """Element [0,0] of out = the sum over all elements of several tiles, times the scaler, times a float32.

    Called once for each tile; the first starts the sum, the last ends it and pushes. cb_out must be Float32: the
    packer adds in its format.
    """
    begin_reduction(cb_in, cb_scaler, cb_out)
    reduce_init[PoolType.SUM, ReduceDim.REDUCE_SCALAR](cb_in, cb_scaler, cb_out)
    tile_regs_acquire()
    reduce_tile[PoolType.SUM, ReduceDim.REDUCE_SCALAR](cb_in, cb_scaler, 0, 0, 0)
    add_to_page(cb_out, factor_bits, is_first, is_last)
    cb_pop_front(cb_in, 1)


@phase(
    waits={"cb_in": "1", "cb_scaler": "1"},
    pops={"cb_in": "1", "cb_scaler": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.ELEMENT},
)
def reduce_tile_max(cb_in: CB, cb_scaler: CB, cb_out: CB) -> None:
    """Element [0,0] of out = the largest value of all elements of a tile, times the scaler."""
    begin_reduction(cb_in, cb_scaler, cb_out)
    reduce_init[PoolType.MAX, ReduceDim.REDUCE_SCALAR](cb_in, cb_scaler, cb_out)
    tile_regs_acquire()
    reduce_tile[PoolType.MAX, ReduceDim.REDUCE_SCALAR](cb_in, cb_scaler, 0, 0, 0)
    pack_reduced(cb_out)
    cb_pop_front(cb_in, 1)
