# SPDX-License-Identifier: Apache-2.0
"""Kernels of the corpus that are written in Python: a buggy one, and beside it the same one fixed."""

from __future__ import annotations

from tilewright.kernels import CircularBuffers, RuntimeArg, TensorArg, compute_kernel, reader_kernel, writer_kernel
from tilewright.kernels.api import (
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    compute_kernel_hw_startup,
    copy_init,
    copy_tile,
    get_read_ptr,
    get_tile_size,
    get_write_ptr,
    noc_async_read_barrier,
    noc_async_read_page,
    noc_async_write_barrier,
    noc_async_write_page,
    pack_tile,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)


class Buffers(CircularBuffers):
    input = 0
    output = 16


@compute_kernel
def copy_in_twos(num_tiles: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.input, cb.output)
    copy_init(cb.input)
    for _ in range(0, num_tiles, 2):
        cb_wait_front(cb.input, 2)  # BUG
        cb_reserve_back(cb.output, 2)
        tile_regs_acquire()
        for i in range(2):
            copy_tile(cb.input, i, i)
        tile_regs_commit()
        tile_regs_wait()
        for i in range(2):
            pack_tile(i, cb.output)
        tile_regs_release()
        cb_push_back(cb.output, 2)
        cb_pop_front(cb.input, 2)


@compute_kernel
def copy_in_twos_and_the_rest(num_tiles: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.input, cb.output)
    copy_init(cb.input)
    for tile in range(0, num_tiles, 2):
        step = min(2, num_tiles - tile)
        cb_wait_front(cb.input, step)
        cb_reserve_back(cb.output, step)
        tile_regs_acquire()
        for i in range(step):
            copy_tile(cb.input, i, i)
        tile_regs_commit()
        tile_regs_wait()
        for i in range(step):
            pack_tile(i, cb.output)
        tile_regs_release()
        cb_push_back(cb.output, step)
        cb_pop_front(cb.input, step)


@reader_kernel
def read_two_blocks_into_one(source: TensorArg, cb: Buffers) -> None:
    cb_reserve_back(cb.input, 2)
    for tile in range(4):
        noc_async_read_page(tile, source, get_write_ptr(cb.input) + tile * get_tile_size(cb.input))  # BUG
    noc_async_read_barrier()
    cb_push_back(cb.input, 2)
    cb_reserve_back(cb.input, 2)
    cb_push_back(cb.input, 2)


@reader_kernel
def read_two_blocks(source: TensorArg, cb: Buffers) -> None:
    cb_reserve_back(cb.input, 4)
    for tile in range(4):
        noc_async_read_page(tile, source, get_write_ptr(cb.input) + tile * get_tile_size(cb.input))
    noc_async_read_barrier()
    cb_push_back(cb.input, 2)
    cb_push_back(cb.input, 2)


@writer_kernel
def write_and_keep(num_rounds: RuntimeArg, target: TensorArg, cb: Buffers) -> None:
    for tile in range(num_rounds):
        cb_wait_front(cb.output, 1)  # BUG
        noc_async_write_page(tile, target, get_read_ptr(cb.output))
        noc_async_write_barrier()


@writer_kernel
def write_and_pop(num_rounds: RuntimeArg, target: TensorArg, cb: Buffers) -> None:
    for tile in range(num_rounds):
        cb_wait_front(cb.output, 1)
        noc_async_write_page(tile, target, get_read_ptr(cb.output))
        noc_async_write_barrier()
        cb_pop_front(cb.output, 1)
