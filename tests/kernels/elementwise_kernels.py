# SPDX-License-Identifier: Apache-2.0
"""Kernels of small operations, written in Python."""

from __future__ import annotations

from tilewright.kernels import (
    CB,
    CircularBuffers,
    CompileTimeArg,
    RuntimeArg,
    TensorArg,
    compute_kernel,
    float32,
    int32,
    kernel_function,
    l1_ptr,
    reader_kernel,
    uint32,
    writer_kernel,
)
from tilewright.kernels.api import (
    PoolType,
    ReduceDim,
    add_init,
    add_tiles,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    compute_kernel_hw_startup,
    copy_init,
    copy_tile,
    dprint,
    exp_tile,
    exp_tile_init,
    get_read_ptr,
    get_tile_size,
    get_write_ptr,
    noc_async_read_barrier,
    noc_async_read_page,
    noc_async_write_barrier,
    noc_async_write_page,
    pack_tile,
    reduce_init,
    reduce_tile,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
)


class Buffers(CircularBuffers):
    left = 0
    right = 1
    out = 16


@kernel_function
def read_tile(tensor: TensorArg, page: uint32, cb: CB) -> None:
    """Brings one page into cb."""
    cb_reserve_back(cb, 1)
    noc_async_read_page(page, tensor, get_write_ptr(cb))
    noc_async_read_barrier()
    cb_push_back(cb, 1)


@kernel_function
def pack_one(cb: CB) -> None:
    """Packs DST slot 0 into one page of cb."""
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb)
    tile_regs_release()
    cb_push_back(cb, 1)


@reader_kernel
def read_one(num_tiles: RuntimeArg, start: RuntimeArg, source: TensorArg, cb: Buffers) -> None:
    for page in range(start, start + num_tiles):
        read_tile(source, page, cb.left)


@reader_kernel
def read_two(num_tiles: RuntimeArg, start: RuntimeArg, left: TensorArg, right: TensorArg, cb: Buffers) -> None:
    for page in range(start, start + num_tiles):
        read_tile(left, page, cb.left)
        read_tile(right, page, cb.right)


@compute_kernel
def exponentiate(num_tiles: RuntimeArg, cb: Buffers) -> None:
    """out = exp(left)."""
    compute_kernel_hw_startup(cb.left, cb.out)
    copy_init(cb.left)
    exp_tile_init()
    for _ in range(num_tiles):
        cb_wait_front(cb.left, 1)
        cb_reserve_back(cb.out, 1)
        tile_regs_acquire()
        copy_tile(cb.left, 0, 0)
        exp_tile(0)
        pack_one(cb.out)
        cb_pop_front(cb.left, 1)


@compute_kernel
def add(num_tiles: RuntimeArg, cb: Buffers) -> None:
    """out = left + right."""
    compute_kernel_hw_startup(cb.left, cb.right, cb.out)
    add_init(cb.left, cb.right)
    for _ in range(num_tiles):
        cb_wait_front(cb.left, 1)
        cb_wait_front(cb.right, 1)
        cb_reserve_back(cb.out, 1)
        tile_regs_acquire()
        add_tiles(cb.left, cb.right, 0, 0, 0)
        pack_one(cb.out)
        cb_pop_front(cb.left, 1)
        cb_pop_front(cb.right, 1)


@writer_kernel
def write_blocks(
    num_tiles: RuntimeArg, page: RuntimeArg, block: CompileTimeArg, target: TensorArg, cb: Buffers
) -> None:
    """Writes tiles block by block; the last block may be shorter."""
    left_over = num_tiles
    while left_over > 0:
        count = min(block, left_over)
        cb_wait_front(cb.out, count)
        address = get_read_ptr(cb.out)
        for _ in range(count):
            noc_async_write_page(page, target, address)
            address += get_tile_size(cb.out)
            page += 1
        noc_async_write_barrier()
        cb_pop_front(cb.out, count)
        left_over -= count


@writer_kernel
def wait_for_too_much(cb: Buffers) -> None:
    dprint("waiting for", 3)
    cb_wait_front(cb.out, 3)


@kernel_function
def wait_for_one(cb: CB) -> None:
    cb_wait_front(cb, 1)


@writer_kernel
def wait_in_a_helper(cb: Buffers) -> None:
    wait_for_one(cb.out)


@reader_kernel
def read_rows(
    num_rows: RuntimeArg, start: RuntimeArg, row_tiles: CompileTimeArg, source: TensorArg, cb: Buffers
) -> None:
    """Makes the tile of ones a reduction multiplies with, then reads rows of tiles."""
    cb_reserve_back(cb.right, 1)
    ones = l1_ptr[float32](get_write_ptr(cb.right))
    for i in range(1024):
        ones[i] = 1.0 if i % 256 < 16 else 0.0  # row 0 of every face
    cb_push_back(cb.right, 1)
    for page in range(start * row_tiles, (start + num_rows) * row_tiles):
        read_tile(source, page, cb.left)


@compute_kernel
def sum_rows(num_rows: RuntimeArg, row_tiles: CompileTimeArg, cb: Buffers) -> None:
    """Column 0 of out = the sum of each row."""
    compute_kernel_hw_startup(cb.left, cb.right, cb.out)
    reduce_init[PoolType.SUM, ReduceDim.REDUCE_ROW](cb.left, cb.right, cb.out)
    cb_wait_front(cb.right, 1)
    for _ in range(num_rows):
        cb_reserve_back(cb.out, 1)
        tile_regs_acquire()
        for _ in range(row_tiles):
            cb_wait_front(cb.left, 1)
            reduce_tile[PoolType.SUM, ReduceDim.REDUCE_ROW](cb.left, cb.right, 0, 0, 0)
            cb_pop_front(cb.left, 1)
        pack_one(cb.out)


@kernel_function
def get_arg_addr(index: int32) -> float32:
    return float32(index)


@writer_kernel
def clashing_names() -> None:
    dprint("{}", get_arg_addr(2))
