# SPDX-License-Identifier: Apache-2.0
"""Building blocks of readers and writers for tile-columns and slabs: single tiles, sticks, masks.

The tiles of a line have numbers: from top to bottom in a tile-column (tiles_across = 1, first_column says which), row
after row in a slab (tiles_across = all of its width).
"""

from __future__ import annotations

from tilewright.kernels import CB, TensorArg, kernel_function, uint32
from tilewright.kernels._types import l1_ptr, uint16
from tilewright.kernels.api import (
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    get_read_ptr,
    get_tile_size,
    get_write_ptr,
    noc_async_read,
    noc_async_read_barrier,
    noc_async_read_page,
    noc_async_write,
    noc_async_write_barrier,
    noc_async_write_page,
)
from tilewright.kernels.phases import Region, phase

BFLOAT16_ONE = 0x3F80


@kernel_function
def write_mask_tile(address: uint32, valid_columns: uint32, valid_rows: uint32) -> None:
    """A bfloat16 tile with 1 in the first columns of the first rows, 0 elsewhere."""
    elements = l1_ptr[uint16](address)
    for row in range(32):
        for column in range(32):
            # Four faces of 16 by 16.
            face = row // 16 * 2 + column // 16
            is_valid = row < valid_rows and column < valid_columns
            elements[face * 256 + row % 16 * 16 + column % 16] = BFLOAT16_ONE if is_valid else 0


@phase(pushes={"cb": "3"}, gives={"cb": Region.TILE})
def fill_masks(cb: CB, last_tile_columns: uint32, last_tile_rows: uint32) -> None:
    """Masks for tiles at the right edge, at the lower edge, and for the one at both.

    Pushes three pages of cb, whose format is Float16_b; those of edges that no tile has are not written.
    """
    cb_reserve_back(cb, 3)
    address = get_write_ptr(cb)
    if last_tile_columns != 32:
        write_mask_tile(address, last_tile_columns, 32)
    if last_tile_rows != 32:
        write_mask_tile(address + get_tile_size(cb), 32, last_tile_rows)
        if last_tile_columns != 32:
            write_mask_tile(address + 2 * get_tile_size(cb), last_tile_columns, last_tile_rows)
    cb_push_back(cb, 3)


@kernel_function
def edge_of_tile(
    tile: uint32, tiles_across: uint32, num_tiles: uint32, last_tile_columns: uint32, last_tile_rows: uint32
) -> uint32:
    """0 for a tile that is full; else 1, 2 or 3 for the page of its mask: right edge, lower edge, both."""
    is_right = last_tile_columns != 32 and tile % tiles_across == tiles_across - 1
    is_lower = last_tile_rows != 32 and tile + tiles_across >= num_tiles
    return uint32((1 if is_right else 0) + (2 if is_lower else 0))


@kernel_function
def fill_words(address: uint32, num_bytes: uint32) -> None:
    """Zeros, four bytes at a time."""
    words = l1_ptr[uint32](address)
    for i in range(num_bytes // 4):
        words[i] = 0


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.ROWS})
def read_stick_tiles(
    tensor: TensorArg,
    cb: CB,
    slab: uint32,
    first_column: uint32,
    tiles_across: uint32,
    first_tile: uint32,
    num_tiles: uint32,
    num_pages: uint32,
    height: uint32,
    stick_bytes: uint32,
    element_bytes: uint32,
) -> None:
    """Tiles of a line, each as 32 rows in a page of its own; what lies beyond the tensor is zero.

    Pushes num_pages of cb, of which the first num_tiles are filled.
    """
    cb_reserve_back(cb, num_pages)
    row_bytes = 32 * element_bytes
    address = get_write_ptr(cb)
    for tile in range(first_tile, first_tile + num_tiles):
        row = tile // tiles_across * 32
        offset = (first_column + tile % tiles_across) * row_bytes
        num_rows = min(uint32(32), height - row)
        num_bytes = min(row_bytes, stick_bytes - offset)
        if num_rows < 32 or num_bytes < row_bytes:
            fill_words(address, 32 * row_bytes)
        for stick in range(slab * height + row, slab * height + row + num_rows):
            noc_async_read(tensor.get_noc_addr(stick, offset), address, num_bytes)
            address += row_bytes
        address += (32 - num_rows) * row_bytes
    noc_async_read_barrier()
    cb_push_back(cb, num_pages)


@phase(waits={"cb": "num_pages"}, pops={"cb": "num_pages"}, needs={"cb": Region.ROWS})
def write_stick_tiles(
    tensor: TensorArg,
    cb: CB,
    slab: uint32,
    first_column: uint32,
    tiles_across: uint32,
    first_tile: uint32,
    num_tiles: uint32,
    num_pages: uint32,
    height: uint32,
    stick_bytes: uint32,
    element_bytes: uint32,
) -> None:
    """Tiles of a line, each as 32 rows in a page of its own, become parts of sticks; only what the tensor has.

    Waits for and pops num_pages of cb.
    """
    cb_wait_front(cb, num_pages)
    row_bytes = 32 * element_bytes
    address = get_read_ptr(cb)
    for tile in range(first_tile, first_tile + num_tiles):
        row = tile // tiles_across * 32
        offset = (first_column + tile % tiles_across) * row_bytes
        num_rows = min(uint32(32), height - row)
        num_bytes = min(row_bytes, stick_bytes - offset)
        for stick in range(slab * height + row, slab * height + row + num_rows):
            noc_async_write(address, tensor.get_noc_addr(stick, offset), num_bytes)
            address += row_bytes
        address += (32 - num_rows) * row_bytes
    noc_async_write_barrier()
    cb_pop_front(cb, num_pages)


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.TILE})
def read_line_tiles(
    tensor: TensorArg,
    cb: CB,
    first_page: uint32,
    tiles_across: uint32,
    width_tiles: uint32,
    first_tile: uint32,
    num_tiles: uint32,
    num_pages: uint32,
) -> None:
    """Tiles of a line of a tensor in tiles; first_page is that of the line's first tile.

    Pushes num_pages of cb; what lies beyond num_tiles stays as it is.
    """
    cb_reserve_back(cb, num_pages)
    address = get_write_ptr(cb)
    for tile in range(first_tile, first_tile + num_tiles):
        page = first_page + tile // tiles_across * width_tiles + tile % tiles_across
        noc_async_read_page(page, tensor, address)
        address += get_tile_size(cb)
    noc_async_read_barrier()
    cb_push_back(cb, num_pages)


@phase(waits={"cb": "num_pages"}, pops={"cb": "num_pages"}, needs={"cb": Region.ANY})
def write_line_tiles(
    tensor: TensorArg,
    cb: CB,
    first_page: uint32,
    tiles_across: uint32,
    width_tiles: uint32,
    first_tile: uint32,
    num_tiles: uint32,
    num_pages: uint32,
) -> None:
    """Tiles of a line to a tensor in tiles; first_page is that of the line's first tile.

    Waits for and pops num_pages of cb.
    """
    cb_wait_front(cb, num_pages)
    address = get_read_ptr(cb)
    for tile in range(first_tile, first_tile + num_tiles):
        page = first_page + tile // tiles_across * width_tiles + tile % tiles_across
        noc_async_write_page(page, tensor, address)
        address += get_tile_size(cb)
    noc_async_write_barrier()
    cb_pop_front(cb, num_pages)
