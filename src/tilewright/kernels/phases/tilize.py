# SPDX-License-Identifier: Apache-2.0
"""Row-major rows become tiles."""

from __future__ import annotations

from tilewright.kernels._language import kernel_function
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    pack_reconfig_data_format,
    reconfig_data_format_srca,
    tilize_block,
    tilize_init,
    tilize_uninit,
)
from tilewright.kernels.phases.contract import Region, phase


@kernel_function
def tilize_pages(cb_in: CB, cb_out: CB, num_tiles: uint32, num_pages: uint32) -> None:
    """num_pages of cb_in together hold 32 rows of num_tiles tiles."""
    cb_wait_front(cb_in, num_pages)
    cb_reserve_back(cb_out, num_tiles)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    tilize_init(cb_in, num_tiles, cb_out)
    tilize_block(cb_in, num_tiles, cb_out)
    tilize_uninit(cb_in, cb_out)
    cb_push_back(cb_out, num_tiles)
    cb_pop_front(cb_in, num_pages)


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "num_tiles"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ROWS},
    gives={"cb_out": Region.TILE},
)
def tilize(cb_in: CB, cb_out: CB, num_tiles: uint32) -> None:
    """32 rows in pages of tile size become num_tiles tiles.

    The pages of cb_in must not run over the end of the buffer: its size is a multiple of num_tiles.
    """
    tilize_pages(cb_in, cb_out, num_tiles, num_tiles)


@phase(
    waits={"cb_in": "32"},
    pops={"cb_in": "32"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ROWS},
    gives={"cb_out": Region.TILE},
)
def tilize_sticks(cb_in: CB, cb_out: CB, num_tiles: uint32) -> None:
    """32 rows, each a page (a stick), become num_tiles tiles.

    A page of cb_in is one row of num_tiles tiles, and the buffer's size is a multiple of 32 pages.
    """
    tilize_pages(cb_in, cb_out, num_tiles, 32)


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "num_tiles"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ROWS},
    gives={"cb_out": Region.TILE},
)
def tilize_each(cb_in: CB, cb_out: CB, num_tiles: uint32) -> None:
    """num_tiles pages, each with 32 rows of its own that are one tile wide, become as many tiles."""
    cb_wait_front(cb_in, num_tiles)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    tilize_init(cb_in, 1, cb_out)
    for _ in range(num_tiles):
        cb_reserve_back(cb_out, 1)
        tilize_block(cb_in, 1, cb_out)
        cb_push_back(cb_out, 1)
        cb_pop_front(cb_in, 1)
    tilize_uninit(cb_in, cb_out)
