# SPDX-License-Identifier: Apache-2.0
"""Building blocks of readers that share tiles: one core of a group reads, and multicasts to the others.

A group is a rectangle of cores, one of which reads. All of them fill the same circular buffer in step, so what is sent
lies at the same address everywhere. Two semaphores make a round: every receiver that has room raises
the first one of the sender, which waits for all, sends, and sets the second one of the receivers.
"""

from __future__ import annotations

from tilewright.kernels import CB, TensorArg, kernel_function, uint32
from tilewright.kernels._types import l1_ptr
from tilewright.kernels.api import (
    cb_push_back,
    cb_reserve_back,
    get_noc_addr,
    get_noc_multicast_addr,
    get_semaphore,
    get_tile_size,
    get_write_ptr,
    noc_async_read,
    noc_async_read_barrier,
    noc_async_read_page,
    noc_async_write_multicast,
    noc_async_writes_flushed,
    noc_semaphore_inc,
    noc_semaphore_set,
    noc_semaphore_set_multicast,
    noc_semaphore_wait,
)
from tilewright.kernels.phases import Region, phase
from tilewright.kernels.phases.sticks import fill_zeros

# Semaphores of a group: room at the receivers, and tiles sent; the second one's number is one higher.
LEFT_SEMAPHORES = 0
RIGHT_SEMAPHORES = 2
NUM_SEMAPHORES = 4


@kernel_function
def part_of(index: uint32, size: uint32, whole: uint32) -> uint32:
    """What there is of a part of a line that is cut into parts of a size."""
    return uint32(min(size, whole - index * size))


@kernel_function
def send(
    address: uint32,
    num_bytes: uint32,
    first_x: uint32,
    first_y: uint32,
    last_x: uint32,
    last_y: uint32,
    receivers: uint32,
    semaphores: uint32,
) -> None:
    """Bytes of this core's L1 to the same address of the other cores of its group, once they have room."""
    room = l1_ptr[uint32](get_semaphore(semaphores))
    noc_semaphore_wait(room, receivers)
    noc_semaphore_set(room, 0)
    there = get_noc_multicast_addr(first_x, first_y, last_x, last_y, address)
    noc_async_write_multicast(address, there, num_bytes, receivers)
    noc_async_writes_flushed()
    sent = get_semaphore(semaphores + 1)
    noc_semaphore_set(l1_ptr[uint32](sent), 1)
    noc_semaphore_set_multicast(sent, get_noc_multicast_addr(first_x, first_y, last_x, last_y, sent), receivers)
    noc_async_writes_flushed()


@kernel_function
def receive(sender_x: uint32, sender_y: uint32, semaphores: uint32) -> None:
    """Tell the sender of the group that there is room, and wait until it has sent."""
    sent = l1_ptr[uint32](get_semaphore(semaphores + 1))
    noc_semaphore_set(sent, 0)
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, get_semaphore(semaphores)), 1)
    noc_semaphore_wait(sent, 1)


@kernel_function
def request_tiles(
    tensor: TensorArg,
    address: uint32,
    tile_bytes: uint32,
    first_page: uint32,
    num_rows: uint32,
    stride: uint32,
    num_tiles: uint32,
    row_pages: uint32,
) -> None:
    """Begin to read num_rows rows of num_tiles tiles, stride pages apart, into rows of row_pages tiles in L1."""
    for row in range(num_rows):
        first = first_page + row * stride
        for tile in range(num_tiles):
            noc_async_read_page(first + tile, tensor, address + (row * row_pages + tile) * tile_bytes)


@phase(pushes={"cb": "num_groups * num_rows * row_pages"}, gives={"cb": Region.TILE})
def read_shared_tiles(
    tensor: TensorArg,
    cb: CB,
    first_page: uint32,
    num_groups: uint32,
    num_rows: uint32,
    stride: uint32,
    num_tiles: uint32,
    row_pages: uint32,
    sends: uint32,
    first_x: uint32,
    first_y: uint32,
    last_x: uint32,
    last_y: uint32,
    sender_x: uint32,
    sender_y: uint32,
    receivers: uint32,
    semaphores: uint32,
) -> None:
    """num_groups times num_rows rows of num_tiles tiles of a tensor, stride pages apart, for all cores that share them.

    The next group is read while one is sent. Pushes row_pages of cb for each row; what lies beyond num_tiles stays as
    it is. cb has room for a multiple of all that is pushed here, so that nothing runs over its end.
    """
    pages = num_rows * row_pages
    num_bytes = pages * get_tile_size(cb)
    if sends != 0:
        cb_reserve_back(cb, pages)
        address = get_write_ptr(cb)
        request_tiles(tensor, address, get_tile_size(cb), first_page, num_rows, stride, num_tiles, row_pages)
        for group in range(num_groups):
            noc_async_read_barrier()
            address = get_write_ptr(cb)
            if group + 1 < num_groups:
                cb_reserve_back(cb, 2 * pages)
                page = first_page + (group + 1) * num_rows * stride
                there = address + num_bytes
                request_tiles(tensor, there, get_tile_size(cb), page, num_rows, stride, num_tiles, row_pages)
            if receivers != 0:
                send(address, num_bytes, first_x, first_y, last_x, last_y, receivers, semaphores)
            cb_push_back(cb, pages)
    else:
        for _ in range(num_groups):
            cb_reserve_back(cb, pages)
            receive(sender_x, sender_y, semaphores)
            cb_push_back(cb, pages)


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.ROWS})
def read_shared_sticks(
    tensor: TensorArg,
    cb: CB,
    first_stick: uint32,
    num_sticks: uint32,
    num_rows: uint32,
    offset_bytes: uint32,
    num_bytes: uint32,
    row_bytes: uint32,
    num_pages: uint32,
    sends: uint32,
    first_x: uint32,
    first_y: uint32,
    last_x: uint32,
    last_y: uint32,
    sender_x: uint32,
    sender_y: uint32,
    receivers: uint32,
    semaphores: uint32,
) -> None:
    """num_bytes at offset_bytes of each of num_sticks sticks, for all cores of a group.

    Zeros fill each row up to row_bytes, and the rows behind the sticks up to num_rows. Pushes num_pages of cb.
    """
    cb_reserve_back(cb, num_pages)
    if sends != 0:
        begin = get_write_ptr(cb)
        for row in range(num_sticks):
            address = begin + row * row_bytes
            noc_async_read(tensor.get_noc_addr(first_stick + row, offset_bytes), address, num_bytes)
            fill_zeros(address + num_bytes, row_bytes - num_bytes)
        fill_zeros(begin + num_sticks * row_bytes, (num_rows - num_sticks) * row_bytes)
        noc_async_read_barrier()
        if receivers != 0:
            send(begin, num_rows * row_bytes, first_x, first_y, last_x, last_y, receivers, semaphores)
    else:
        receive(sender_x, sender_y, semaphores)
    cb_push_back(cb, num_pages)
