# SPDX-License-Identifier: Apache-2.0
"""Building blocks of kernels on cores that have a part of a line each: what they reduce is exchanged.

The cores of a line are a rectangle, in which each has a number. A core reduces its part to one tile, copies this to a
place of its own among the tiles of all, and multicasts it to the same place of the other cores. When the tiles of all
have come, each core combines them in the same order, so all get the same result.

Rounds: the tiles of a round lie in one half of a circular buffer, those of the next one in the other half, and each
half has a semaphore. A core sends when both halves are free for all that may come: the pages of the round before were
popped. Another core sends in the next round only after it got this core's tile, so it is one round ahead at most, and
what it sends finds its half free.
"""

from __future__ import annotations

from tilewright.kernels import CB, kernel_function, uint32
from tilewright.kernels._types import l1_ptr
from tilewright.kernels.api import (
    add_binary_tile,
    add_binary_tile_init,
    binary_max_tile,
    binary_max_tile_init,
    binop_with_scalar_tile_init,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    copy_init,
    copy_tile,
    get_noc_addr,
    get_noc_multicast_addr,
    get_read_ptr,
    get_semaphore,
    get_tile_size,
    get_write_ptr,
    mul_unary_tile,
    noc_async_atomic_barrier,
    noc_async_write,
    noc_async_write_barrier,
    noc_async_write_multicast,
    noc_semaphore_inc_multicast,
    noc_semaphore_set,
    noc_semaphore_wait,
    pack_reconfig_data_format,
    pack_tile,
    reconfig_data_format_srca,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)
from tilewright.kernels.phases import Region, phase

# Semaphores of a reduction: one for each half.
NUM_SEMAPHORES = 2
# Runtime arguments: the number of the core in its line, and where it is, and the first and the last core of the line.
EXCHANGE_PLACES = ("own_part", "own_x", "own_y", "line_first_x", "line_first_y", "line_last_x", "line_last_y")


@phase(
    waits={"cb_own": "1"},
    pops={"cb_own": "1"},
    pushes={"cb_all": "line_parts"},
    needs={"cb_own": Region.COLUMN_0},
    gives={"cb_all": Region.COLUMN_0},
)
def exchange(
    cb_own: CB,
    cb_all: CB,
    half: uint32,
    semaphore: uint32,
    part: uint32,
    line_parts: uint32,
    own_x: uint32,
    own_y: uint32,
    first_x: uint32,
    first_y: uint32,
    last_x: uint32,
    last_y: uint32,
) -> None:
    """A tile of this core to all cores of its line, and one of each of them to this core.

    half, 0 or 1, changes from call to call; semaphore is the number of the first half's.
    """
    cb_wait_front(cb_own, 1)
    cb_reserve_back(cb_all, 2 * line_parts)
    num_bytes = get_tile_size(cb_own)
    own = get_read_ptr(cb_own)
    place = get_write_ptr(cb_all) + part * num_bytes
    noc_async_write(own, get_noc_addr(own_x, own_y, place), num_bytes)
    there = get_noc_multicast_addr(first_x, first_y, last_x, last_y, place)
    noc_async_write_multicast(own, there, num_bytes, line_parts - 1)
    noc_async_write_barrier()
    arrived = get_semaphore(semaphore + half)
    others = get_noc_multicast_addr(first_x, first_y, last_x, last_y, arrived)
    noc_semaphore_inc_multicast(others, 1, line_parts - 1)
    noc_semaphore_wait(l1_ptr[uint32](arrived), line_parts - 1)
    noc_semaphore_set(l1_ptr[uint32](arrived), 0)
    noc_async_atomic_barrier()
    cb_push_back(cb_all, line_parts)
    cb_pop_front(cb_own, 1)


@kernel_function
def gather(
    cb_own: CB,
    cb_all: CB,
    num_tiles: uint32,
    semaphores: uint32,
    part: uint32,
    line_parts: uint32,
    own_x: uint32,
    own_y: uint32,
    part_first_x: uint32,
    part_first_y: uint32,
    part_last_x: uint32,
    part_last_y: uint32,
    first_x: uint32,
    first_y: uint32,
    last_x: uint32,
    last_y: uint32,
    receivers: uint32,
) -> None:
    """num_tiles tiles of each of line_parts cores to all cores of their group, in order of the parts.

    Cores of the group with a higher number only receive: those with a part are from part_first to part_last. Two
    semaphores: others of the group with room, for those that send; and parts that have come.
    """
    num_bytes = num_tiles * get_tile_size(cb_all)
    cb_reserve_back(cb_all, line_parts * num_tiles)
    others = line_parts - 1 if part < line_parts else line_parts
    room = get_semaphore(semaphores)
    senders = get_noc_multicast_addr(part_first_x, part_first_y, part_last_x, part_last_y, room)
    noc_semaphore_inc_multicast(senders, 1, others)
    arrived = get_semaphore(semaphores + 1)
    if part < line_parts:
        noc_semaphore_wait(l1_ptr[uint32](room), receivers)
        noc_semaphore_set(l1_ptr[uint32](room), 0)
        cb_wait_front(cb_own, num_tiles)
        own = get_read_ptr(cb_own)
        place = get_write_ptr(cb_all) + part * num_bytes
        noc_async_write(own, get_noc_addr(own_x, own_y, place), num_bytes)
        there = get_noc_multicast_addr(first_x, first_y, last_x, last_y, place)
        noc_async_write_multicast(own, there, num_bytes, receivers)
        noc_async_write_barrier()
        counters = get_noc_multicast_addr(first_x, first_y, last_x, last_y, arrived)
        noc_semaphore_inc_multicast(counters, 1, receivers)
        cb_pop_front(cb_own, num_tiles)
    noc_semaphore_wait(l1_ptr[uint32](arrived), others)
    noc_semaphore_set(l1_ptr[uint32](arrived), 0)
    noc_async_atomic_barrier()
    cb_push_back(cb_all, line_parts * num_tiles)


@phase(
    waits={"cb_all": "line_parts"},
    pops={"cb_all": "line_parts"},
    pushes={"cb_out": "1"},
    needs={"cb_all": Region.COLUMN_0},
    gives={"cb_out": Region.COLUMN_0},
)
def add_parts(cb_all: CB, cb_out: CB, line_parts: uint32, factor_bits: uint32) -> None:
    """The sum of line_parts tiles, element by element in float32, times a float32."""
    wait_for_parts(cb_all, cb_out, line_parts)
    add_binary_tile_init()
    tile_regs_acquire()
    copy_tile(cb_all, 0, 0)
    for part in range(1, line_parts):
        copy_tile(cb_all, part, 1)
        add_binary_tile(0, 1, 0)
    binop_with_scalar_tile_init()
    mul_unary_tile(0, factor_bits)
    pack_combined(cb_all, cb_out, line_parts)


@phase(
    waits={"cb_all": "line_parts"},
    pops={"cb_all": "line_parts"},
    pushes={"cb_out": "1"},
    needs={"cb_all": Region.COLUMN_0},
    gives={"cb_out": Region.COLUMN_0},
)
def largest_of_parts(cb_all: CB, cb_out: CB, line_parts: uint32) -> None:
    """The largest of line_parts tiles, element by element."""
    wait_for_parts(cb_all, cb_out, line_parts)
    binary_max_tile_init()
    tile_regs_acquire()
    copy_tile(cb_all, 0, 0)
    for part in range(1, line_parts):
        copy_tile(cb_all, part, 1)
        binary_max_tile(0, 1, 0)
    pack_combined(cb_all, cb_out, line_parts)


@kernel_function
def wait_for_parts(cb_all: CB, cb_out: CB, line_parts: uint32) -> None:
    """Every part is there to be copied into DST, and a page of cb_out is free."""
    cb_wait_front(cb_all, line_parts)
    cb_reserve_back(cb_out, 1)
    pack_reconfig_data_format(cb_out)
    reconfig_data_format_srca(cb_all)
    copy_init(cb_all)


@kernel_function
def pack_combined(cb_all: CB, cb_out: CB, line_parts: uint32) -> None:
    """DST slot 0 becomes a page of cb_out, and the tiles that it was made of are popped."""
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)
    cb_pop_front(cb_all, line_parts)
