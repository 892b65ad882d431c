# SPDX-License-Identifier: Apache-2.0
"""Row-major tensors in blocks of 32 sticks (rows): readers and writers.

A block is 32 rows of row_bytes in the circular buffer, whether its pages are tiles (num_pages = tiles in a row) or
sticks (num_pages = 32). row_bytes is a whole number of tiles wide.
"""

from __future__ import annotations

from tilewright.kernels._language import kernel_function
from tilewright.kernels._parameters import TensorArg
from tilewright.kernels._types import CB, l1_ptr, uint16, uint32
from tilewright.kernels.api import (
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    get_read_ptr,
    get_write_ptr,
    noc_async_read,
    noc_async_read_barrier,
    noc_async_write,
    noc_async_write_barrier,
)
from tilewright.kernels.phases.contract import Region, phase


@kernel_function
def fill_zeros(address: uint32, num_bytes: uint32) -> None:
    """Elements have at least two bytes."""
    elements = l1_ptr[uint16](address)
    for i in range(num_bytes // 2):
        elements[i] = 0


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.ROWS})
def read_sticks(
    tensor: TensorArg,
    cb: CB,
    first_stick: uint32,
    num_sticks: uint32,
    offset_bytes: uint32,
    num_bytes: uint32,
    row_bytes: uint32,
    num_pages: uint32,
) -> None:
    """Brings num_bytes at offset_bytes of each of num_sticks sticks into a block of 32 rows.

    Each row is filled up with zeros to row_bytes. With num_sticks below 32 the other rows stay as they are.
    """
    cb_reserve_back(cb, num_pages)
    address = get_write_ptr(cb)
    for stick in range(first_stick, first_stick + num_sticks):
        noc_async_read(tensor.get_noc_addr(stick, offset_bytes), address, num_bytes)
        if num_bytes < row_bytes:
            fill_zeros(address + num_bytes, row_bytes - num_bytes)
        address += row_bytes
    noc_async_read_barrier()
    cb_push_back(cb, num_pages)


@phase(waits={"cb": "num_pages"}, pops={"cb": "num_pages"}, needs={"cb": Region.ROWS})
def write_sticks(
    tensor: TensorArg,
    cb: CB,
    first_stick: uint32,
    num_sticks: uint32,
    offset_bytes: uint32,
    num_bytes: uint32,
    row_bytes: uint32,
    num_pages: uint32,
) -> None:
    """Takes num_bytes from each of the first num_sticks rows of a block to offset_bytes of the tensor's sticks.

    Nothing else of the sticks is written.
    """
    cb_wait_front(cb, num_pages)
    address = get_read_ptr(cb)
    for stick in range(first_stick, first_stick + num_sticks):
        noc_async_write(address, tensor.get_noc_addr(stick, offset_bytes), num_bytes)
        address += row_bytes
    noc_async_write_barrier()
    cb_pop_front(cb, num_pages)
