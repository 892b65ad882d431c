# SPDX-License-Identifier: Apache-2.0
"""Kernels that run one phase, and those that feed and empty the circular buffers around it."""

from __future__ import annotations

from tilewright.kernels import (
    CB,
    CircularBuffers,
    CompileTimeArg,
    RuntimeArg,
    TensorArg,
    compute_kernel,
    kernel_function,
    phases,
    reader_kernel,
    uint32,
    writer_kernel,
)
from tilewright.kernels.api import (
    cb_pop_front,
    cb_push_back,
    cb_reserve_back,
    cb_wait_front,
    compute_kernel_hw_startup,
    get_read_ptr,
    get_tile_size,
    get_write_ptr,
    noc_async_read_barrier,
    noc_async_read_page,
    noc_async_write_barrier,
    noc_async_write_page,
)


class Buffers(CircularBuffers):
    a = 0
    b = 1
    out = 16


@kernel_function
def read_tiles(tensor: TensorArg, cb: CB, num_tiles: uint32) -> None:
    cb_reserve_back(cb, num_tiles)
    address = get_write_ptr(cb)
    for page in range(num_tiles):
        noc_async_read_page(page, tensor, address)
        address += get_tile_size(cb)
    noc_async_read_barrier()
    cb_push_back(cb, num_tiles)


@reader_kernel
def read_a(num_a: RuntimeArg, a: TensorArg, cb: Buffers) -> None:
    read_tiles(a, cb.a, num_a)


@reader_kernel
def read_a_and_b(num_a: RuntimeArg, num_b: RuntimeArg, a: TensorArg, b: TensorArg, cb: Buffers) -> None:
    read_tiles(a, cb.a, num_a)
    read_tiles(b, cb.b, num_b)


@writer_kernel
def write_tiles(num_tiles: RuntimeArg, out: TensorArg, cb: Buffers) -> None:
    cb_wait_front(cb.out, num_tiles)
    address = get_read_ptr(cb.out)
    for page in range(num_tiles):
        noc_async_write_page(page, out, address)
        address += get_tile_size(cb.out)
    noc_async_write_barrier()
    cb_pop_front(cb.out, num_tiles)


@compute_kernel
def run_add(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.add(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_add_bcast_rows(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.add_bcast_rows(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_add_bcast_cols(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.add_bcast_cols(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_add_bcast_scalar(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.add_bcast_scalar(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_sub(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.sub(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_sub_bcast_rows(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.sub_bcast_rows(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_sub_bcast_cols(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.sub_bcast_cols(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_sub_bcast_scalar(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.sub_bcast_scalar(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_mul(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.mul(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_mul_bcast_rows(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.mul_bcast_rows(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_mul_bcast_cols(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.mul_bcast_cols(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_mul_bcast_scalar(num_tiles: RuntimeArg, keep_a: CompileTimeArg, keep_b: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.mul_bcast_scalar(cb.a, cb.b, cb.out, num_tiles, keep_a != 0, keep_b != 0)


@compute_kernel
def run_copy(num_tiles: RuntimeArg, keep: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.copy(cb.a, cb.out, num_tiles, keep != 0)


@compute_kernel
def run_square(num_tiles: RuntimeArg, first: RuntimeArg, keep: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.square(cb.a, cb.out, num_tiles, keep != 0, first)


@compute_kernel
def run_add_rsqrt(cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.add_rsqrt(cb.a, cb.b, cb.out)


@compute_kernel
def run_reduce_row_sum(num_tiles: RuntimeArg, keep: CompileTimeArg, partial: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.reduce_row_sum(cb.a, cb.b, cb.out, num_tiles, keep != 0, partial != 0)


@compute_kernel
def run_reduce_row_mean(
    num_tiles: RuntimeArg, factor_bits: RuntimeArg, keep: CompileTimeArg, partial: CompileTimeArg, cb: Buffers
) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.reduce_row_mean(cb.a, cb.b, cb.out, num_tiles, factor_bits, keep != 0, partial != 0)


@compute_kernel
def run_accumulate_row_mean(
    num_blocks: RuntimeArg,
    num_tiles: RuntimeArg,
    last_summed: RuntimeArg,
    factor_bits: RuntimeArg,
    partial: CompileTimeArg,
    cb: Buffers,
) -> None:
    """A row in num_blocks blocks of num_tiles tiles; of the last one, last_summed count."""
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    for block in range(num_blocks):
        is_last = block + 1 == num_blocks
        num_summed = last_summed if is_last else num_tiles
        phases.accumulate_row_mean(
            cb.a, cb.b, cb.out, num_tiles, num_summed, factor_bits, block == 0, is_last, partial != 0
        )


@compute_kernel
def run_reduce_row_max(num_tiles: RuntimeArg, keep: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.reduce_row_max(cb.a, cb.b, cb.out, num_tiles, keep != 0)


@compute_kernel
def run_tilize(num_tiles: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.tilize(cb.a, cb.out, num_tiles)


@compute_kernel
def run_tilize_sticks(num_tiles: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.tilize_sticks(cb.a, cb.out, num_tiles)


@compute_kernel
def run_untilize(num_tiles: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.untilize(cb.a, cb.out, num_tiles)


@compute_kernel
def run_untilize_sticks(num_tiles: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.untilize_sticks(cb.a, cb.out, num_tiles)


@reader_kernel
def run_fill_scaler_tile(value_bits: RuntimeArg, cb: Buffers) -> None:
    phases.fill_scaler_tile(cb.out, value_bits)


@reader_kernel
def run_fill_partial_scaler_tiles(value_bits: RuntimeArg, valid_columns: RuntimeArg, cb: Buffers) -> None:
    phases.fill_partial_scaler_tiles(cb.out, value_bits, valid_columns)


@reader_kernel
def run_fill_constant_tile(value_bits: RuntimeArg, cb: Buffers) -> None:
    phases.fill_constant_tile(cb.out, value_bits)


@reader_kernel
def run_read_sticks(
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    offset_bytes: RuntimeArg,
    num_bytes: RuntimeArg,
    row_bytes: RuntimeArg,
    num_pages: RuntimeArg,
    tensor: TensorArg,
    cb: CB,
) -> None:
    phases.read_sticks(tensor, cb, first_stick, num_sticks, offset_bytes, num_bytes, row_bytes, num_pages)


@writer_kernel
def run_write_sticks(
    first_stick: RuntimeArg,
    num_sticks: RuntimeArg,
    offset_bytes: RuntimeArg,
    num_bytes: RuntimeArg,
    row_bytes: RuntimeArg,
    num_pages: RuntimeArg,
    tensor: TensorArg,
    cb: CB,
) -> None:
    phases.write_sticks(tensor, cb, first_stick, num_sticks, offset_bytes, num_bytes, row_bytes, num_pages)


@compute_kernel
def run_accumulate_column_mean(num_tiles: RuntimeArg, factor_bits: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    for i in range(num_tiles):
        phases.accumulate_column_mean(cb.a, cb.b, cb.out, factor_bits, i == 0, i == num_tiles - 1)


@compute_kernel
def run_accumulate_block_column_mean(num_tiles: RuntimeArg, factor_bits: RuntimeArg, cb: Buffers) -> None:
    """Two blocks, of which the second is one tile."""
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    whole = num_tiles - 1
    phases.accumulate_block_column_mean(cb.a, cb.b, cb.out, 0, whole, factor_bits, True, False)
    phases.accumulate_block_column_mean(cb.a, cb.b, cb.out, whole, 1, factor_bits, False, True)
    cb_pop_front(cb.a, num_tiles)


@compute_kernel
def run_accumulate_tile_mean(num_tiles: RuntimeArg, factor_bits: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    for i in range(num_tiles):
        phases.accumulate_tile_mean(cb.a, cb.b, cb.out, factor_bits, i == 0, i == num_tiles - 1)


@compute_kernel
def run_reduce_column_max(cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.reduce_column_max(cb.a, cb.b, cb.out)


@compute_kernel
def run_reduce_tile_max(cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.reduce_tile_max(cb.a, cb.b, cb.out)


@compute_kernel
def run_tilize_each(num_tiles: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.tilize_each(cb.a, cb.out, num_tiles)


@compute_kernel
def run_untilize_each(num_tiles: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    phases.untilize_each(cb.a, cb.out, num_tiles)


@compute_kernel
def run_multiply_rows(inner_tiles: RuntimeArg, num_tiles: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.multiply_rows(cb.a, cb.b, cb.out, 0, inner_tiles, num_tiles)


@compute_kernel
def run_multiply_rows_transposed(inner_tiles: RuntimeArg, num_tiles: RuntimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.b, cb.out)
    phases.multiply_rows_transposed(cb.a, cb.b, cb.out, 0, inner_tiles, num_tiles)
