# SPDX-License-Identifier: Apache-2.0
"""Inverse standard deviation from a variance."""

from __future__ import annotations

from tilewright.kernels._types import CB
from tilewright.kernels.api import (
    add_bcast_scalar_init,
    add_tiles_bcast_scalar,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    rsqrt_tile,
    rsqrt_tile_init,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Region, phase


@phase(
    waits={"cb_in": "1", "cb_epsilon": "1"},
    pops={"cb_in": "1", "cb_epsilon": "0"},
    pushes={"cb_out": "1"},
    needs={"cb_in": Region.ANY, "cb_epsilon": Region.ELEMENT},
    gives={"cb_out": Region.ANY},
)
def add_rsqrt(cb_in: CB, cb_epsilon: CB, cb_out: CB) -> None:
    """out = 1 / sqrt(in + epsilon), epsilon being element [0,0] of its tile."""
    cb_wait_front(cb_in, 1)
    cb_wait_front(cb_epsilon, 1)
    cb_reserve_back(cb_out, 1)
    reconfig_data_format(cb_in, cb_epsilon)
    pack_reconfig_data_format(cb_out)
    add_bcast_scalar_init(cb_in, cb_epsilon)
    tile_regs_acquire()
    add_tiles_bcast_scalar(cb_in, cb_epsilon, 0, 0, 0)
    rsqrt_tile_init()
    rsqrt_tile(0)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)
    cb_pop_front(cb_in, 1)
