# SPDX-License-Identifier: Apache-2.0
"""Constant tiles that a data-movement kernel makes once: scalers of reductions, numbers to broadcast.

Values come as the bits of a float32. A buffer of bfloat16 tiles gets the nearest bfloat16.
"""

from __future__ import annotations

from tilewright.kernels._language import kernel_function
from tilewright.kernels._types import CB, l1_ptr, uint16, uint32
from tilewright.kernels.api import (
    MEM_ZEROS_BASE,
    MEM_ZEROS_SIZE,
    cb_push_back,
    cb_reserve_back,
    get_noc_addr,
    get_tile_size,
    get_write_ptr,
    noc_async_read,
    noc_async_read_barrier,
)
from tilewright.kernels.phases.contract import Region, phase

FLOAT32_TILE_BYTES = 4096


@kernel_function
def bfloat16_bits(value_bits: uint32) -> uint32:
    """The bits of the bfloat16 nearest to a float32, ties to even."""
    return uint32((value_bits + 0x7FFF + ((value_bits >> 16) & 1)) >> 16)


@kernel_function
def write_scaler_tile(address: uint32, is_float32: bool, value_bits: uint32, valid_columns: uint32) -> None:
    """Row 0 of each face: the value in the tile's first valid_columns columns. Zero everywhere else.

    The NoC copies zeros that every core has, in a tenth of the time that stores take.
    """
    num_bytes = FLOAT32_TILE_BYTES if is_float32 else FLOAT32_TILE_BYTES // 2
    for offset in range(0, num_bytes, MEM_ZEROS_SIZE):
        noc_async_read(get_noc_addr(MEM_ZEROS_BASE), address + offset, MEM_ZEROS_SIZE)
    noc_async_read_barrier()
    floats = l1_ptr[uint32](address)
    halves = l1_ptr[uint16](address)
    half_bits = bfloat16_bits(value_bits)
    if valid_columns == 32:
        words = 16 if is_float32 else 8  # of a row of a face
        word_bits = value_bits if is_float32 else half_bits << 16 | half_bits
        for word in range(words):
            floats[word] = word_bits
            floats[word + 16 * words] = word_bits
            floats[word + 32 * words] = word_bits
            floats[word + 48 * words] = word_bits
        return
    for column in range(valid_columns):
        # Columns 0 to 15 are row 0 of faces 0 and 2, the others of faces 1 and 3.
        first = column if column < 16 else column + 240
        if is_float32:
            floats[first] = value_bits
            floats[first + 512] = value_bits
        else:
            halves[first] = half_bits
            halves[first + 512] = half_bits


@phase(pushes={"cb": "1"}, gives={"cb": Region.SCALER})
def fill_scaler_tile(cb: CB, value_bits: uint32) -> None:
    """A reduction's scaler: the value in row 0 of each face, zero elsewhere.

    The format of cb is Float16_b or Float32.
    """
    cb_reserve_back(cb, 1)
    write_scaler_tile(get_write_ptr(cb), get_tile_size(cb) == FLOAT32_TILE_BYTES, value_bits, 32)
    cb_push_back(cb, 1)


@phase(pushes={"cb": "2"}, gives={"cb": Region.SCALER})
def fill_partial_scaler_tiles(cb: CB, value_bits: uint32, valid_columns: uint32) -> None:
    """Two scalers of a reduction: one for whole tiles, then one for a last tile with valid_columns columns.

    The format of cb is Float16_b or Float32.
    """
    cb_reserve_back(cb, 2)
    is_float32 = get_tile_size(cb) == FLOAT32_TILE_BYTES
    address = get_write_ptr(cb)
    write_scaler_tile(address, is_float32, value_bits, 32)
    write_scaler_tile(address + get_tile_size(cb), is_float32, value_bits, valid_columns)
    cb_push_back(cb, 2)


@phase(pushes={"cb": "1"}, gives={"cb": Region.TILE})
def fill_constant_tile(cb: CB, value_bits: uint32) -> None:
    """A tile that holds one value everywhere, so it serves every broadcast.

    The format of cb is Float16_b or Float32.
    """
    cb_reserve_back(cb, 1)
    words = l1_ptr[uint32](get_write_ptr(cb))
    if get_tile_size(cb) == FLOAT32_TILE_BYTES:
        for i in range(1024):
            words[i] = value_bits
    else:
        half_bits = bfloat16_bits(value_bits)
        for i in range(512):
            words[i] = half_bits << 16 | half_bits
    cb_push_back(cb, 1)
