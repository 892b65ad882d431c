# SPDX-License-Identifier: Apache-2.0
"""A row too wide to be in L1 at once becomes one number per row, block by block.

The sum so far stays in the one page of the result: the packer adds each block's share to what is there, in float32.
"""

from __future__ import annotations

from tilewright.kernels._parameters import CompileTimeArg
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    binop_with_scalar_tile_init,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    mul_unary_tile,
    pack_reconfig_data_format,
    pack_reconfig_l1_acc,
    pack_tile,
    reduce_uninit,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Region, phase
from tilewright.kernels.phases.reduce import add_row_sums


@phase(
    waits={"cb_in": "num_tiles", "cb_scaler": "2 if partial else 1"},
    pops={"cb_in": "0 if keep else num_tiles", "cb_scaler": "0"},
    pushes={"cb_out": "1 if is_last else 0"},
    needs={"cb_in": Region.TILE, "cb_scaler": Region.SCALER},
    gives={"cb_out": Region.COLUMN_0},
)
def accumulate_row_mean(
    cb_in: CB,
    cb_scaler: CB,
    cb_out: CB,
    num_tiles: uint32,
    num_summed: uint32,
    factor_bits: uint32,
    is_first: bool,
    is_last: bool,
    partial: CompileTimeArg[bool] = False,
    keep: CompileTimeArg[bool] = False,
) -> None:
    """Column 0 of out = the sum over each row of several blocks of tiles, times the scaler, times a float32.

    Called once for each block of num_tiles tiles, of which the first num_summed count. The first block starts the sum,
    the last one ends it and pushes; partial: the last tile of the last block is summed by page 1 of cb_scaler. cb_out
    must be Float32: the packer adds in its format.
    """
    cb_wait_front(cb_in, num_tiles)
    cb_wait_front(cb_scaler, 2 if partial else 1)
    pack_reconfig_data_format(cb_out)
    tile_regs_acquire()
    if is_last:
        add_row_sums(cb_in, cb_scaler, cb_out, num_summed, partial)
    else:
        add_row_sums(cb_in, cb_scaler, cb_out, num_summed, False)
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
    if not keep:
        cb_pop_front(cb_in, num_tiles)
