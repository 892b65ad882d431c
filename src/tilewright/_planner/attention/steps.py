# SPDX-License-Identifier: Apache-2.0
"""Building blocks of attention kernels: running maximum, powers, running sums, and tensors with an edge."""

from __future__ import annotations

from tilewright._planner.row_kernels import read_tiles
from tilewright._planner.tile_kernels import BFLOAT16_ONE
from tilewright.kernels import CB, CompileTimeArg, TensorArg, kernel_function, uint32
from tilewright.kernels._types import l1_ptr
from tilewright.kernels.api import (
    BroadcastType,
    InputClamping,
    PoolType,
    ReduceDim,
    VectorMode,
    add_binary_tile,
    add_binary_tile_init,
    binary_max_tile,
    binary_max_tile_init,
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    copy_init,
    copy_tile,
    exp_tile,
    exp_tile_init,
    fill_tile_bitcast,
    fill_tile_init,
    get_tile_size,
    get_write_ptr,
    matmul_init,
    matmul_tiles,
    mul_binary_tile,
    mul_binary_tile_init,
    noc_async_read,
    noc_async_read_barrier,
    noc_async_read_page,
    pack_reconfig_data_format,
    pack_tile,
    recip_tile,
    recip_tile_init,
    reconfig_data_format,
    reconfig_data_format_srca,
    reduce_init,
    reduce_tile,
    sub_bcast_cols_init,
    sub_init,
    sub_tiles,
    sub_tiles_bcast_cols,
    tile_regs_acquire,
    tile_regs_commit,
    tile_regs_release,
    tile_regs_wait,
    unary_bcast,
    unary_bcast_init,
)
from tilewright.kernels.phases import Region, phase
from tilewright.kernels.phases.reduce import add_row_sums, pack_reduced
from tilewright.kernels.phases.sticks import fill_zeros

# What a hidden score becomes, and what the largest score is at least: its power is 0 beside any that is seen.
HIDDEN_SCORE = 0xFF61B1E6  # -3e38
SMALLEST_LARGEST = 0xFE967699  # -1e38


@kernel_function
def multiply_tile(cb_left: CB, cb_right: CB, left: uint32, right: uint32, inner_tiles: uint32, slot: uint32) -> None:
    """A slot of DST, which is empty, becomes a tile of a product: inner_tiles tiles of each operand."""
    for inner in range(inner_tiles):
        matmul_tiles(cb_left, cb_right, left + inner, right + inner, slot)


@kernel_function
def find_largest(cb_scores: CB, cb_scaler: CB, cb_before: CB, cb_out: CB, num_tiles: uint32, is_first: bool) -> None:
    """Column 0 of out = the largest of each row of num_tiles tiles, and of what cb_before holds but for the first."""
    cb_wait_front(cb_scores, num_tiles)
    cb_wait_front(cb_scaler, 1)
    pack_reconfig_data_format(cb_out)
    tile_regs_acquire()
    if is_first:
        fill_tile_init()
        fill_tile_bitcast(1, SMALLEST_LARGEST)
    else:
        cb_wait_front(cb_before, 1)
        reconfig_data_format_srca(cb_before)
        copy_init(cb_before)
        copy_tile(cb_before, 0, 1)
    reconfig_data_format(cb_scores, cb_scaler)
    reduce_init[PoolType.MAX, ReduceDim.REDUCE_ROW](cb_scores, cb_scaler, cb_out)
    for i in range(num_tiles):
        reduce_tile[PoolType.MAX, ReduceDim.REDUCE_ROW](cb_scores, cb_scaler, i, 0, 0)
    binary_max_tile_init()
    binary_max_tile(0, 1, 0)
    pack_reduced(cb_out)


@kernel_function
def raise_rows(slot: uint32, rows: CompileTimeArg) -> None:
    """exp of the first rows of a tile in DST, of all rows where the vector unit saves nothing by leaving some out."""
    if rows <= 4:
        exp_tile[False, False, InputClamping.ClampToNegative, 2](slot, VectorMode.R)
    elif rows <= 16:
        exp_tile(slot, VectorMode.R)
    else:
        exp_tile(slot)


@kernel_function
def make_powers(
    cb_scores: CB, cb_largest: CB, cb_out: CB, num_tiles: uint32, block_tiles: uint32, rows: CompileTimeArg
) -> None:
    """out = exp(scores - largest) of the first rows of num_tiles tiles of a block.

    Pops the block of scores, and pushes as many pages.
    """
    cb_wait_front(cb_scores, num_tiles)
    cb_wait_front(cb_largest, 1)
    cb_reserve_back(cb_out, block_tiles)
    reconfig_data_format(cb_scores, cb_largest)
    pack_reconfig_data_format(cb_out)
    sub_bcast_cols_init(cb_scores, cb_largest)
    exp_tile_init()
    for first in range(0, num_tiles, 4):
        count = min(uint32(4), num_tiles - first)
        tile_regs_acquire()
        for slot in range(count):
            sub_tiles_bcast_cols(cb_scores, cb_largest, first + slot, 0, slot)
        for slot in range(count):
            raise_rows(slot, rows)
        tile_regs_commit()
        tile_regs_wait()
        for slot in range(count):
            pack_tile(slot, cb_out)
        tile_regs_release()
    cb_push_back(cb_out, block_tiles)
    cb_pop_front(cb_scores, block_tiles)


@kernel_function
def make_share(cb_before: CB, cb_largest: CB, cb_out: CB) -> None:
    """Column 0 of out = exp(before - largest), by which earlier sums shrink; pops cb_before."""
    cb_wait_front(cb_before, 1)
    cb_wait_front(cb_largest, 1)
    cb_reserve_back(cb_out, 1)
    reconfig_data_format(cb_before, cb_largest)
    pack_reconfig_data_format(cb_out)
    sub_init(cb_before, cb_largest)
    exp_tile_init()
    tile_regs_acquire()
    sub_tiles(cb_before, cb_largest, 0, 0, 0)
    exp_tile(0)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)
    cb_pop_front(cb_before, 1)


@kernel_function
def add_total(cb_powers: CB, cb_scaler: CB, cb_share: CB, cb_total: CB, num_tiles: uint32, is_first: bool) -> None:
    """Column 0 of a new page of cb_total = the sum of each row of powers, and the share of the page at its front."""
    cb_wait_front(cb_powers, num_tiles)
    cb_wait_front(cb_scaler, 1)
    pack_reconfig_data_format(cb_total)
    tile_regs_acquire()
    if not is_first:
        cb_wait_front(cb_total, 1)
        cb_wait_front(cb_share, 1)
        reconfig_data_format_srca(cb_total)
        copy_init(cb_total)
        copy_tile(cb_total, 0, 1)
        copy_tile(cb_share, 0, 2)
        mul_binary_tile_init()
        mul_binary_tile(1, 2, 1)
    add_row_sums(cb_powers, cb_scaler, cb_total, num_tiles, False)
    if not is_first:
        add_binary_tile_init()
        add_binary_tile(0, 1, 0)
    pack_reduced(cb_total)
    if not is_first:
        cb_pop_front(cb_total, 1)


@kernel_function
def add_values(cb_powers: CB, cb_values: CB, cb_share: CB, cb_sum: CB, num_tiles: uint32, value_tiles: uint32) -> None:
    """New pages of cb_sum = powers times values, and the share of the pages at its front, which are popped."""
    cb_wait_front(cb_powers, num_tiles)
    cb_wait_front(cb_values, num_tiles * value_tiles)
    cb_wait_front(cb_share, 1)
    cb_wait_front(cb_sum, value_tiles)
    cb_reserve_back(cb_sum, value_tiles)
    pack_reconfig_data_format(cb_sum)
    for column in range(value_tiles):
        tile_regs_acquire()
        reconfig_data_format(cb_values, cb_powers)
        matmul_init(cb_powers, cb_values)
        for inner in range(num_tiles):
            matmul_tiles(cb_powers, cb_values, inner, inner * value_tiles + column, 0)
        reconfig_data_format_srca(cb_sum)
        copy_init(cb_sum)
        copy_tile(cb_sum, column, 1)
        reconfig_data_format(cb_share, cb_share)
        unary_bcast_init[BroadcastType.COL](cb_share)
        unary_bcast[BroadcastType.COL](cb_share, 0, 2)
        mul_binary_tile_init()
        mul_binary_tile(1, 2, 1)
        add_binary_tile_init()
        add_binary_tile(0, 1, 0)
        tile_regs_commit()
        tile_regs_wait()
        pack_tile(0, cb_sum)
        tile_regs_release()
    cb_push_back(cb_sum, value_tiles)
    cb_pop_front(cb_sum, value_tiles)


@kernel_function
def invert(cb_total: CB, cb_out: CB) -> None:
    """Column 0 of out = one over the total, which is popped."""
    cb_wait_front(cb_total, 1)
    cb_reserve_back(cb_out, 1)
    reconfig_data_format_srca(cb_total)
    pack_reconfig_data_format(cb_out)
    copy_init(cb_total)
    tile_regs_acquire()
    copy_tile(cb_total, 0, 0)
    recip_tile_init()
    recip_tile(0)
    tile_regs_commit()
    tile_regs_wait()
    pack_tile(0, cb_out)
    tile_regs_release()
    cb_push_back(cb_out, 1)
    cb_pop_front(cb_total, 1)


@kernel_function
def causal_row(place: uint32, num_rows: uint32) -> uint32:
    """The tile-row at a place of the order 0, n - 1, 1, n - 2 ...: two neighbours are as much work as any others."""
    return uint32(place // 2 if place % 2 == 0 else num_rows - 1 - place // 2)


@kernel_function
def write_seen_columns(address: uint32, first_columns: uint32, step: uint32, behind: uint32) -> None:
    """A bfloat16 tile with ones where rows see: row r its first first_columns + r * step - behind columns."""
    words = l1_ptr[uint32](address)
    for row in range(32):
        reach = first_columns + row * step
        seen = reach - behind if reach > behind else 0
        for pair in range(16):
            # Two elements a word; a row of a face is 8 words, a face 128, and a tile four faces.
            word = row // 16 * 256 + pair // 8 * 128 + row % 16 * 8 + pair % 8
            left = BFLOAT16_ONE if 2 * pair < seen else 0
            right = BFLOAT16_ONE << 16 if 2 * pair + 1 < seen else 0
            words[word] = left | right


@phase(pushes={"cb": "2"}, gives={"cb": Region.TILE})
def fill_causal_masks(cb: CB, last_column: uint32) -> None:
    """Masks of the tiles in which rows see some columns: row r of the first sees columns 0 to r + last_column.

    The second is the tile to the right of it, where there is one. Pushes two pages of cb, whose format is Float16_b.
    """
    cb_reserve_back(cb, 2)
    write_seen_columns(get_write_ptr(cb), last_column + 1, 1, 0)
    if last_column != 0:
        write_seen_columns(get_write_ptr(cb) + get_tile_size(cb), last_column + 1, 1, 32)
    cb_push_back(cb, 2)


@phase(pushes={"cb": "1"}, gives={"cb": Region.TILE})
def fill_column_mask(cb: CB, last_columns: uint32) -> None:
    """The mask of a tile of which the first last_columns columns are seen; pushes one page of cb, of Float16_b."""
    cb_reserve_back(cb, 1)
    write_seen_columns(get_write_ptr(cb), last_columns, 0, 0)
    cb_push_back(cb, 1)


@phase(pushes={"cb": "num_pages"}, gives={"cb": Region.ROWS})
def read_filled_sticks(
    tensor: TensorArg,
    cb: CB,
    first_stick: uint32,
    num_sticks: uint32,
    offset_bytes: uint32,
    num_bytes: uint32,
    row_bytes: uint32,
    num_pages: uint32,
) -> None:
    """num_bytes at offset_bytes of each of num_sticks sticks in a block of 32 rows; everything else of it is zero."""
    cb_reserve_back(cb, num_pages)
    address = get_write_ptr(cb)
    for stick in range(first_stick, first_stick + num_sticks):
        noc_async_read(tensor.get_noc_addr(stick, offset_bytes), address, num_bytes)
        fill_zeros(address + num_bytes, row_bytes - num_bytes)
        address += row_bytes
    fill_zeros(address, (32 - num_sticks) * row_bytes)
    noc_async_read_barrier()
    cb_push_back(cb, num_pages)


@phase(pushes={"cb": "num_rows * row_tiles"}, gives={"cb": Region.TILE})
def read_tile_rows(tensor: TensorArg, cb: CB, first_page: uint32, num_rows: uint32, row_tiles: uint32) -> None:
    """num_rows tile-rows of row_tiles tiles of a tensor, pushed in two halves: compute begins with the first."""
    half = num_rows // 2 if num_rows >= 8 else 0
    if half != 0:
        read_tiles(tensor, cb, first_page, half * row_tiles, half * row_tiles)
    rest = (num_rows - half) * row_tiles
    read_tiles(tensor, cb, first_page + half * row_tiles, rest, rest)


@phase(pushes={"cb": "num_tiles"}, gives={"cb": Region.TILE})
def read_filled_tiles(
    tensor: TensorArg,
    cb: CB,
    first_page: uint32,
    num_tiles: uint32,
    last_tiles: uint32,
    last_rows: uint32,
    element_bytes: uint32,
) -> None:
    """num_tiles tiles of a tensor; the last_tiles last ones are zero behind their first last_rows rows."""
    cb_reserve_back(cb, num_tiles)
    address = get_write_ptr(cb)
    for page in range(first_page, first_page + num_tiles):
        noc_async_read_page(page, tensor, address)
        address += get_tile_size(cb)
    noc_async_read_barrier()
    face_row = 16 * element_bytes
    for tile in range(last_tiles):
        begin = address - (tile + 1) * get_tile_size(cb)
        for row in range(last_rows, 32):
            left = begin + (row // 16 * 32 + row % 16) * face_row
            fill_zeros(left, face_row)
            fill_zeros(left + 16 * face_row, face_row)
    cb_push_back(cb, num_tiles)
