# SPDX-License-Identifier: Apache-2.0
"""The square of every element."""

from __future__ import annotations

from tilewright.kernels._parameters import CompileTimeArg
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    DST_ACCUM_MODE,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    mul_init,
    mul_tiles,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Region, phase

NO_OFFSET = uint32(0)


@phase(
    waits={"cb_in": "first + num_tiles"},
    pops={"cb_in": "0 if keep else num_tiles"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ANY},
    gives={"cb_out": Region.ANY},
)
def square(
    cb_in: CB, cb_out: CB, num_tiles: uint32, keep: CompileTimeArg[bool] = False, first: uint32 = NO_OFFSET
) -> None:
    """out = in * in.

    Begins with page first of cb_in (which makes sense with keep only).
    """
    dst_tiles = 4 if DST_ACCUM_MODE else 8
    cb_wait_front(cb_in, first + num_tiles)
    cb_reserve_back(cb_out, num_tiles)
    reconfig_data_format(cb_in, cb_in)
    pack_reconfig_data_format(cb_out)
    mul_init(cb_in, cb_in)
    for start in range(0, num_tiles, dst_tiles):
        count = min(dst_tiles, num_tiles - start)
        tile_regs_acquire()
        for slot in range(count):
            mul_tiles(cb_in, cb_in, first + start + slot, first + start + slot, slot)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)
    if not keep:
        cb_pop_front(cb_in, num_tiles)
