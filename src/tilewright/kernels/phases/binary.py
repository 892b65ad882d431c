# SPDX-License-Identifier: Apache-2.0
"""Sums, differences and products of two operands; the second may be broadcast over rows, columns or the whole tile.

Named as the calls of the kernel API: `rows` broadcasts row 0 of each tile of b, `cols` column 0 of one
tile of b, `scalar` element [0,0] of one tile of b.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.kernels._language import kernel_function
from tilewright.kernels._parameters import CompileTimeArg
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    DST_ACCUM_MODE,
    BroadcastType,
    EltwiseBinaryType,
    any_tiles_bcast,
    bcast_init,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Phase, Region, phase


@kernel_function
def eltwise_binary(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    op: CompileTimeArg[EltwiseBinaryType],
    dim: CompileTimeArg[BroadcastType],
    keep_a: CompileTimeArg[bool],
    keep_b: CompileTimeArg[bool],
) -> None:
    """out[i] = a[i] op b, with as many tiles in DST at a time as fit."""
    dst_tiles = 4 if DST_ACCUM_MODE else 8
    one_b = dim == BroadcastType.COL or dim == BroadcastType.SCALAR
    num_b = 1 if one_b else num_tiles
    cb_wait_front(cb_a, num_tiles)
    cb_wait_front(cb_b, num_b)
    cb_reserve_back(cb_out, num_tiles)
    reconfig_data_format(cb_a, cb_b)
    pack_reconfig_data_format(cb_out)
    bcast_init[op, dim](cb_a, cb_b)
    for first in range(0, num_tiles, dst_tiles):
        count = min(dst_tiles, num_tiles - first)
        tile_regs_acquire()
        for slot in range(count):
            any_tiles_bcast[op, dim](cb_a, cb_b, first + slot, 0 if one_b else first + slot, slot)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)
    if not keep_a:
        cb_pop_front(cb_a, num_tiles)
    if not keep_b:
        cb_pop_front(cb_b, num_b)


def _contract(pages_of_b: str, region_of_b: Region) -> Callable[[Callable[..., Any]], Phase]:
    """The contract of all phases here; they differ in the second operand."""
    return phase(
        waits={"cb_a": "num_tiles", "cb_b": pages_of_b},
        pops={"cb_a": "0 if keep_a else num_tiles", "cb_b": f"0 if keep_b else {pages_of_b}"},
        pushes={"cb_out": "num_tiles"},
        needs={"cb_a": Region.ANY, "cb_b": region_of_b},
        gives={"cb_out": Region.ANY},
    )


_WHOLE = _contract("num_tiles", Region.ANY)
_ROWS = _contract("num_tiles", Region.ROW_0)
_COLS = _contract("1", Region.COLUMN_0)
_SCALAR = _contract("1", Region.ELEMENT)


@_WHOLE
def add(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a + b."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWADD, BroadcastType.NONE, keep_a, keep_b)


@_ROWS
def add_bcast_rows(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a + b, row 0 of each tile of b taken for all its rows."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWADD, BroadcastType.ROW, keep_a, keep_b)


@_COLS
def add_bcast_cols(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a + b, column 0 of the one tile of b taken for all columns."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWADD, BroadcastType.COL, keep_a, keep_b)


@_SCALAR
def add_bcast_scalar(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a + b, element [0,0] of the one tile of b taken everywhere."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWADD, BroadcastType.SCALAR, keep_a, keep_b)


@_WHOLE
def sub(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a - b."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWSUB, BroadcastType.NONE, keep_a, keep_b)


@_ROWS
def sub_bcast_rows(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a - b, row 0 of each tile of b taken for all its rows."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWSUB, BroadcastType.ROW, keep_a, keep_b)


@_COLS
def sub_bcast_cols(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a - b, column 0 of the one tile of b taken for all columns."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWSUB, BroadcastType.COL, keep_a, keep_b)


@_SCALAR
def sub_bcast_scalar(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a - b, element [0,0] of the one tile of b taken everywhere."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWSUB, BroadcastType.SCALAR, keep_a, keep_b)


@_WHOLE
def mul(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a * b."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWMUL, BroadcastType.NONE, keep_a, keep_b)


@_ROWS
def mul_bcast_rows(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a * b, row 0 of each tile of b taken for all its rows."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWMUL, BroadcastType.ROW, keep_a, keep_b)


@_COLS
def mul_bcast_cols(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a * b, column 0 of the one tile of b taken for all columns."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWMUL, BroadcastType.COL, keep_a, keep_b)


@_SCALAR
def mul_bcast_scalar(
    cb_a: CB,
    cb_b: CB,
    cb_out: CB,
    num_tiles: uint32,
    keep_a: CompileTimeArg[bool] = False,
    keep_b: CompileTimeArg[bool] = False,
) -> None:
    """out = a * b, element [0,0] of the one tile of b taken everywhere."""
    eltwise_binary(cb_a, cb_b, cb_out, num_tiles, EltwiseBinaryType.ELWMUL, BroadcastType.SCALAR, keep_a, keep_b)
