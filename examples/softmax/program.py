# SPDX-License-Identifier: Apache-2.0
"""Softmax over the last dimension: the host side, written as for a card."""

from __future__ import annotations

from pathlib import Path

from tilewright import ttnn

HERE = Path(__file__).parent
TILE_BYTES = 2048

# name, index, pages as a multiple of the tiles in a row (0: one page)
BUFFERS = [("in", 0, 2), ("ones", 2, 0), ("max", 3, 0), ("exps", 4, 1), ("scale", 5, 0), ("out", 16, 1)]


def softmax_program(x: ttnn.Tensor, y: ttnn.Tensor, broken: bool = False) -> ttnn.ProgramDescriptor:
    """A program that writes softmax(x) to y, its rows of tiles split over all cores."""
    height, width = x.shape[-2], x.shape[-1]
    row_tiles = width // 32
    grid = x.device().compute_with_storage_grid_size()
    _, cores, first, second, rows_first, rows_second = ttnn.split_work_to_cores(grid, height // 32)

    reader_args, compute_args, writer_args = ttnn.RuntimeArgs(), ttnn.RuntimeArgs(), ttnn.RuntimeArgs()
    row = 0
    for group, rows in ((first, rows_first), (second, rows_second)):
        for core in group:
            reader_args[core.x][core.y] = [rows, row * row_tiles, x.buffer_address()]
            compute_args[core.x][core.y] = [rows]
            writer_args[core.x][core.y] = [rows * row_tiles, row * row_tiles, y.buffer_address()]
            row += rows

    reader = ttnn.KernelDescriptor(
        str(HERE / "reader.cpp"),
        core_ranges=cores,
        compile_time_args=[row_tiles, *ttnn.TensorAccessorArgs(x).get_compile_time_args()],
        runtime_args=reader_args,
        config=ttnn.ReaderConfigDescriptor(),
    )
    compute = ttnn.KernelDescriptor(
        str(HERE / "compute.cpp"),
        core_ranges=cores,
        compile_time_args=[row_tiles],
        runtime_args=compute_args,
        defines=[("FORGET_TO_POP_THE_MAXIMUM", "1")] if broken else [],
        config=ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True),
    )
    writer = ttnn.KernelDescriptor(
        str(HERE / "writer.cpp"),
        core_ranges=cores,
        compile_time_args=ttnn.TensorAccessorArgs(y).get_compile_time_args(),
        runtime_args=writer_args,
        config=ttnn.WriterConfigDescriptor(),
    )
    buffers = [
        ttnn.CBDescriptor(
            total_size=max(1, rows * row_tiles) * TILE_BYTES,
            core_ranges=cores,
            format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, TILE_BYTES, name=name)],
        )
        for name, index, rows in BUFFERS
    ]
    return ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=buffers)
