# SPDX-License-Identifier: Apache-2.0
"""Tiles from one circular buffer to another, in the other's format."""

from __future__ import annotations

from tilewright.kernels._parameters import CompileTimeArg
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    DST_ACCUM_MODE,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    copy_init,
    copy_tile,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format_srca,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Region, phase


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "0 if keep else num_tiles"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ANY},
    gives={"cb_out": Region.ANY},
)
def copy(cb_in: CB, cb_out: CB, num_tiles: uint32, keep: CompileTimeArg[bool] = False) -> None:
    """out = in, tile by tile."""
    dst_tiles = 4 if DST_ACCUM_MODE else 8
    cb_wait_front(cb_in, num_tiles)
    cb_reserve_back(cb_out, num_tiles)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    copy_init(cb_in)
    for first in range(0, num_tiles, dst_tiles):
        count = min(dst_tiles, num_tiles - first)
        tile_regs_acquire()
        for slot in range(count):
            copy_tile(cb_in, first + slot, slot)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)
    if not keep:
        cb_pop_front(cb_in, num_tiles)
