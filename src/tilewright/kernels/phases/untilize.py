# SPDX-License-Identifier: Apache-2.0
"""Tiles become row-major rows."""

from __future__ import annotations

from tilewright.kernels._language import kernel_function
from tilewright.kernels._parameters import CompileTimeArg
from tilewright.kernels._types import CB, uint32
from tilewright.kernels.api import (
    DST_ACCUM_MODE,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    pack_reconfig_data_format,
    pack_untilize_block,
    pack_untilize_init,
    pack_untilize_uninit,
    reconfig_data_format_srca,
)
from tilewright.kernels.phases.contract import Region, phase


@kernel_function
def untilize_pages(cb_in: CB, cb_out: CB, num_tiles: CompileTimeArg, num_pages: CompileTimeArg) -> None:
    """A row of tiles becomes 32 rows in num_pages of cb_out."""
    # The packer takes the row in equal blocks that fit DST.
    block_32_bit = 4 if num_tiles % 4 == 0 else 3 if num_tiles % 3 == 0 else 2 if num_tiles % 2 == 0 else 1
    wide_block = 8 if num_tiles % 8 == 0 else 7 if num_tiles % 7 == 0 else 6 if num_tiles % 6 == 0 else 5
    block_16_bit = wide_block if num_tiles % wide_block == 0 else block_32_bit
    block = block_32_bit if DST_ACCUM_MODE else block_16_bit
    cb_wait_front(cb_in, num_tiles)
    cb_reserve_back(cb_out, num_pages)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    pack_untilize_init[block, num_tiles](cb_in, cb_out)
    for index in range(num_tiles // block):
        pack_untilize_block[block, num_tiles](cb_in, 1, cb_out, index)
        cb_pop_front(cb_in, block)
    pack_untilize_uninit(cb_out)
    cb_push_back(cb_out, num_pages)


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "num_tiles"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ANY},
    gives={"cb_out": Region.ROWS},
)
def untilize(cb_in: CB, cb_out: CB, num_tiles: CompileTimeArg) -> None:
    """num_tiles tiles become 32 rows in pages of tile size.

    The size of cb_out is a multiple of num_tiles pages.
    """
    untilize_pages(cb_in, cb_out, num_tiles, num_tiles)


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "num_tiles"},
    pushes={"cb_out": "32"},
    needs={"cb_in": Region.ANY},
    gives={"cb_out": Region.ROWS},
)
def untilize_sticks(cb_in: CB, cb_out: CB, num_tiles: CompileTimeArg) -> None:
    """num_tiles tiles become 32 rows, each a page (a stick).

    A page of cb_out is one row of num_tiles tiles, and the buffer's size is a multiple of 32 pages.
    """
    untilize_pages(cb_in, cb_out, num_tiles, 32)


@phase(
    waits={"cb_in": "num_tiles"},
    pops={"cb_in": "num_tiles"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ANY},
    gives={"cb_out": Region.ROWS},
)
def untilize_each(cb_in: CB, cb_out: CB, num_tiles: uint32) -> None:
    """num_tiles tiles become as many pages, each with 32 rows of its own that are one tile wide."""
    cb_wait_front(cb_in, num_tiles)
    reconfig_data_format_srca(cb_in)
    pack_reconfig_data_format(cb_out)
    pack_untilize_init[1, 1](cb_in, cb_out)
    for _ in range(num_tiles):
        cb_reserve_back(cb_out, 1)
        pack_untilize_block[1, 1](cb_in, 1, cb_out, 0)
        cb_push_back(cb_out, 1)
        cb_pop_front(cb_in, 1)
    pack_untilize_uninit(cb_out)
