# SPDX-License-Identifier: Apache-2.0
"""Building blocks of row readers and writers: sticks, tiles, blocks, scalers."""

from __future__ import annotations

from tilewright.kernels import CB, CompileTimeArg, TensorArg, kernel_function, uint32
from tilewright.kernels._types import l1_ptr
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
    noc_async_write_barrier,
    noc_async_write_page,
)
from tilewright.kernels.phases import (
    Region,
    fill_partial_scaler_tiles,
    fill_scaler_tile,
    phase,
    read_sticks,
    write_sticks,
)
from tilewright.kernels.phases.sticks import fill_zeros

FLOAT32_ONE = 0x3F800000
MINUS_INFINITY = 0xFF800000
TILE_ROWS = 32


@kernel_function
def fill_row_scaler(cb: CB, last_tile_columns: CompileTimeArg) -> None:
    """The scaler of plain row sums: ones, and where W ends inside a tile a second page with ones for its columns."""
    if last_tile_columns != 32:
        fill_partial_scaler_tiles(cb, FLOAT32_ONE, last_tile_columns)
    else:
        fill_scaler_tile(cb, FLOAT32_ONE)


@kernel_function
def read_blocks(
    tensor: TensorArg,
    cb: CB,
    first_stick: uint32,
    num_sticks: uint32,
    stick_bytes: uint32,
    block_bytes: uint32,
    num_pages: uint32,
) -> None:
    """Up to 32 sticks, block by block; a last block that is not full is filled up with zeros."""
    for offset in range(0, stick_bytes, block_bytes):
        num_bytes = min(block_bytes, stick_bytes - offset)
        read_sticks(tensor, cb, first_stick, num_sticks, offset, num_bytes, block_bytes, num_pages)


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.ROWS})
def read_stick_again(
    tensor: TensorArg,
    cb: CB,
    stick: uint32,
    num_rows: uint32,
    offset_bytes: uint32,
    num_bytes: uint32,
    row_bytes: uint32,
    num_pages: uint32,
) -> None:
    """As read_sticks, with one stick in all num_rows rows.

    Pushes num_pages of cb.
    """
    cb_reserve_back(cb, num_pages)
    address = get_write_ptr(cb)
    for _ in range(num_rows):
        noc_async_read(tensor.get_noc_addr(stick, offset_bytes), address, num_bytes)
        if num_bytes < row_bytes:
            fill_zeros(address + num_bytes, row_bytes - num_bytes)
        address += row_bytes
    noc_async_read_barrier()
    cb_push_back(cb, num_pages)


@phase(
    waits={"cb_in": "1"},
    pops={"cb_in": "1"},
    pushes={"cb_out": "num_tiles"},
    needs={"cb_in": Region.ROWS},
    gives={"cb_out": Region.ROW_0},
)
def place_in_row_0(cb_in: CB, cb_out: CB, num_tiles: uint32, element_bytes: uint32) -> None:
    """A stick becomes row 0 of num_tiles tiles, all that a broadcast of rows looks at.

    Waits for and pops one page of cb_in, pushes num_tiles pages of cb_out.
    """
    cb_wait_front(cb_in, 1)
    cb_reserve_back(cb_out, num_tiles)
    stick = l1_ptr[uint32](get_read_ptr(cb_in))
    tiles = l1_ptr[uint32](get_write_ptr(cb_out))
    # In words of four bytes: a row of a face is 16 elements, a face 256, a tile four faces.
    face_row = 4 * element_bytes
    for i in range(num_tiles):
        left = i * 256 * element_bytes
        right = left + 64 * element_bytes
        start = i * 2 * face_row
        for word in range(face_row):
            tiles[left + word] = stick[start + word]
            tiles[right + word] = stick[start + face_row + word]
    cb_push_back(cb_out, num_tiles)
    cb_pop_front(cb_in, 1)


@kernel_function
def read_vector_row(
    vector: TensorArg,
    cb_rm: CB,
    cb_tiled: CB,
    offset: uint32,
    num_bytes: uint32,
    block_bytes: uint32,
    block_tiles: uint32,
) -> None:
    """The part of gamma or beta that belongs to a block, through a stick to row 0 of tiles."""
    read_sticks(vector, cb_rm, 0, 1, offset, num_bytes, block_bytes, 1)
    place_in_row_0(cb_rm, cb_tiled, block_tiles, block_bytes // block_tiles // TILE_ROWS)


@kernel_function
def write_blocks(
    tensor: TensorArg,
    cb: CB,
    first_stick: uint32,
    num_sticks: uint32,
    stick_bytes: uint32,
    block_bytes: uint32,
    num_pages: uint32,
) -> None:
    """Up to 32 sticks from blocks; of the last block only what belongs to the tensor."""
    for offset in range(0, stick_bytes, block_bytes):
        num_bytes = min(block_bytes, stick_bytes - offset)
        write_sticks(tensor, cb, first_stick, num_sticks, offset, num_bytes, block_bytes, num_pages)


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.TILE})
def read_tiles(tensor: TensorArg, cb: CB, first_page: uint32, num_tiles: uint32, num_pages: uint32) -> None:
    """num_tiles tiles of a tensor, from first_page on.

    Pushes num_pages of cb; what lies beyond num_tiles stays as it is.
    """
    cb_reserve_back(cb, num_pages)
    address = get_write_ptr(cb)
    for page in range(first_page, first_page + num_tiles):
        noc_async_read_page(page, tensor, address)
        address += get_tile_size(cb)
    noc_async_read_barrier()
    cb_push_back(cb, num_pages)


@phase(waits={"cb": "num_pages"}, pops={"cb": "num_pages"}, needs={"cb": Region.ANY})
def write_tiles(tensor: TensorArg, cb: CB, first_page: uint32, num_tiles: uint32, num_pages: uint32) -> None:
    """The first num_tiles tiles of num_pages of cb become pages of a tensor, from first_page on.

    Waits for and pops num_pages of cb.
    """
    cb_wait_front(cb, num_pages)
    address = get_read_ptr(cb)
    for page in range(first_page, first_page + num_tiles):
        noc_async_write_page(page, tensor, address)
        address += get_tile_size(cb)
    noc_async_write_barrier()
    cb_pop_front(cb, num_pages)
