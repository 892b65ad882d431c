# SPDX-License-Identifier: Apache-2.0
"""Rows of tiles times a matrix."""

from __future__ import annotations

from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    matmul_block,
    matmul_block_init,
    matmul_init,
    matmul_tiles,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases.contract import Region, phase


@phase(
    waits={"cb_left": "inner_tiles", "cb_right": "first + inner_tiles * num_tiles"},
    pops={"cb_left": "0", "cb_right": "0"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_left": Region.TILE, "cb_right": Region.TILE},
    gives={"cb_out": Region.TILE},
)
def multiply_rows(cb_left: CB, cb_right: CB, cb_out: CB, first: uint32, inner_tiles: uint32, num_tiles: uint32) -> None:
    """num_tiles tiles of out = a row of inner_tiles tiles times a matrix of inner_tiles rows of num_tiles tiles.

    The matrix lies in cb_right from tile first on, row after row of tiles. Tiles are multiplied as they come.
    """
    cb_reserve_back(cb_out, num_tiles)
    # The second operand of a product is on SrcA.
    reconfig_data_format(cb_right, cb_left)
    pack_reconfig_data_format(cb_out)
    # A tile of the row is unpacked once for all tiles of DST.
    at_once = min(uint32(4), num_tiles)
    matmul_block_init(cb_left, cb_right, 0, at_once, 1, inner_tiles)
    for begin in range(0, num_tiles, 4):
        count = min(uint32(4), num_tiles - begin)
        if count != at_once:
            matmul_block_init(cb_left, cb_right, 0, count, 1, inner_tiles)
        tile_regs_acquire()
        for inner in range(inner_tiles):
            cb_wait_front(cb_left, inner + 1)
            cb_wait_front(cb_right, first + (inner + 1) * num_tiles)
            tile = first + inner * num_tiles + begin
            matmul_block(cb_left, cb_right, inner, tile, 0, 0, count, 1, inner_tiles)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)


@phase(
    waits={"cb_left": "inner_tiles", "cb_right": "first + inner_tiles * num_tiles"},
    pops={"cb_left": "0", "cb_right": "0"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_left": Region.TILE, "cb_right": Region.TILE},
    gives={"cb_out": Region.TILE},
)
def multiply_rows_transposed(
    cb_left: CB, cb_right: CB, cb_out: CB, first: uint32, inner_tiles: uint32, num_tiles: uint32
) -> None:
    """num_tiles tiles of out = a row of inner_tiles tiles times the transpose of num_tiles rows of as many tiles.

    These lie in cb_right from tile first on; four are multiplied as soon as they are there.
    """
    cb_wait_front(cb_left, inner_tiles)
    cb_reserve_back(cb_out, num_tiles)
    # The second operand of a product is on SrcA.
    reconfig_data_format(cb_right, cb_left)
    pack_reconfig_data_format(cb_out)
    matmul_init(cb_left, cb_right, 1)
    for begin in range(0, num_tiles, 4):
        count = min(uint32(4), num_tiles - begin)
        cb_wait_front(cb_right, first + (begin + count) * inner_tiles)
        tile_regs_acquire()
        for inner in range(inner_tiles):
            for slot in range(count):
                matmul_tiles(cb_left, cb_right, inner, first + (begin + slot) * inner_tiles + inner, slot)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, num_tiles)
