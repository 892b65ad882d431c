# SPDX-License-Identifier: Apache-2.0
"""Stock transpose of the last two dimensions: tiles, and row-major tensors through tilize and untilize."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.error_bounds import assert_within, bfloat8_step
from tests.conformance.named_bindings import named_kernel
from tests.conformance.programs import (
    ALL_CORES,
    ONE_CORE,
    TILE,
    accessor,
    as_float64,
    circular_buffer,
    kernel,
    on_device,
    output_like,
    runtime_args,
    split_work,
)
from tilewright import ttnn

CB_IN, CB_OUT, CB_TILIZED = 0, 16, 24
SHAPES = [(32, 32), (160, 96), (1024, 1024)]
DTYPES = [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b]


def compute_config(dtype: ttnn.DataType, *through_dest: int) -> ttnn.ComputeConfigDescriptor:
    """``through_dest``: CBs unpacked straight into 32-bit DST, as ttnn's host code asks for fp32."""
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=dtype == ttnn.float32)
    config.unpack_to_dest_mode = [
        ttnn.UnpackToDestMode.UnpackToDestFp32 if index in through_dest else ttnn.UnpackToDestMode.Default
        for index in range(32)
    ]
    return config


def numbers(shape: tuple[int, int]) -> NDArray[np.float32]:
    rng = np.random.default_rng(11)
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-8, 8, shape)).astype(np.float32)


def transpose_tiles(
    array: NDArray[np.float32],
    dtype: ttnn.DataType,
    cores: ttnn.CoreRangeSet,
    operations: Path,
    device: ttnn.Device,
    *,
    exact_fp32: bool = True,
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    kernels = operations / "data_movement/transpose/device/kernels"
    source, target = on_device(array, dtype, device), output_like(array.shape[::-1], dtype, device)
    rows, columns = (-(-extent // TILE) for extent in array.shape)
    used, work = split_work(cores, rows * columns)
    if cores is ONE_CORE:
        reader = kernel(
            kernels / "dataflow/reader_unary_transpose_wh_interleaved.cpp",
            used,
            ttnn.ReaderConfigDescriptor(),
            runtime_args(work, lambda count, start: [source.buffer_address(), 1, rows, columns, rows * columns]),
            compile_time_args=accessor(source),
        )
    else:
        reader = named_kernel(
            kernels / "dataflow/reader_unary_transpose_wh_interleaved_start_id.cpp",
            used,
            ttnn.ReaderConfigDescriptor(),
            work,
            runtime={
                "num_tiles": lambda count, start: count,
                "start_id": lambda count, start: start % rows * columns + start // rows,
                "start_ht": lambda count, start: start % rows,
                "start_wt": lambda count, start: start // rows,
                "Ht": lambda count, start: rows,
                "Wt": lambda count, start: columns,
                "HtWt": lambda count, start: rows * columns,
            },
            buffers={"in0": CB_IN},
            tensors={"src": source},
        )
    compute = kernel(
        kernels / "compute/transpose_wh.cpp",
        used,
        compute_config(dtype, CB_IN) if dtype == ttnn.float32 and exact_fp32 else compute_config(dtype),
        runtime_args(work, lambda count, start: [count]),
    )
    writer = kernel(
        operations / "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [target.buffer_address(), count, start]),
        compile_time_args=[CB_OUT, *accessor(target)],
    )
    buffers = [circular_buffer(index, dtype, 2, used) for index in (CB_IN, CB_OUT)]
    ttnn.generic_op([source, target], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=buffers))
    return source, target


def transpose_rows(
    array: NDArray[np.float32], dtype: ttnn.DataType, operations: Path, device: ttnn.Device
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    """A batch of row-major matrices, one matrix per core: tilize, transpose, untilize."""
    kernels = operations / "data_movement/transpose/device/kernels"
    batch, height, width = array.shape
    source = ttnn.from_numpy(array, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    target = ttnn.allocate_tensor_on_device(ttnn.Shape([batch, width, height]), dtype, ttnn.ROW_MAJOR_LAYOUT, device)
    rows, columns = -(-height // TILE), -(-width // TILE)
    last_row, last_column = height - (rows - 1) * TILE, width - (columns - 1) * TILE
    element = ttnn.element_size(dtype)
    cores, work = split_work(ALL_CORES, batch)
    reader = named_kernel(
        kernels / "dataflow/reader_unary_transpose_wh_interleaved_start_id_rm.cpp",
        cores,
        ttnn.ReaderConfigDescriptor(),
        work,
        compile_time={
            "Ht": rows,
            "H_per_tile": TILE if rows > 1 else last_row,
            "H_per_tile_last": last_row,
            "Wt": columns,
            "W_size_bytes": width * element,
            "l1_write_offset_bytes": columns * TILE * element,
        },
        runtime={
            "start_id": lambda count, start: start * height,
            "num_hw_blocks_per_core": lambda count, start: count,
        },
        buffers={"in0": CB_IN},
        tensors={"src": source},
    )
    compute = kernel(
        kernels / "compute/transpose_wh_rm.cpp",
        cores,
        compute_config(dtype, CB_IN, CB_TILIZED) if dtype == ttnn.float32 else compute_config(dtype),
        runtime_args(work, lambda count, start: [count]),
        compile_time_args=[rows, columns, rows * columns],
    )
    writer = named_kernel(
        kernels / "dataflow/writer_unary_transpose_wh_interleaved_start_id_rm.cpp",
        cores,
        ttnn.WriterConfigDescriptor(),
        work,
        compile_time={
            "Ht": rows,
            "Wt": columns,
            "W_per_tile": TILE if columns > 1 else last_column,
            "W_per_tile_last": last_column,
            "H_size_bytes": height * element,
            "l1_read_offset_bytes": rows * TILE * element,
        },
        runtime={
            "start_id": lambda count, start: start * width,
            "num_hw_blocks_per_core": lambda count, start: count,
        },
        buffers={"out": CB_OUT},
        tensors={"dst": target},
    )
    buffers = [
        circular_buffer(CB_IN, dtype, 2 * columns, cores),
        circular_buffer(CB_TILIZED, dtype, rows * columns, cores),
        circular_buffer(CB_OUT, dtype, 2 * rows, cores),
    ]
    ttnn.generic_op([source, target], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=buffers))
    return source, target


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("cores", [ONE_CORE, ALL_CORES], ids=["one core", "all cores"])
def test_tiles(cores, shape, dtype, operations, device):
    source, target = transpose_tiles(numbers(shape), dtype, cores, operations, device)
    expected = as_float64(source).T
    # Values only move. In bfloat8_b other elements share an exponent afterwards: the packer rounds the first seven
    # bits of what comes out of DST, at most half a step off, or a whole one where the largest code saturates.
    bound = bfloat8_step(expected) if dtype == ttnn.bfloat8_b else 0.0
    assert_within(as_float64(target), expected, bound, "transpose")


def test_poisoned_padding_stays_outside(operations, device):
    """50 x 70: the padding of the source is poison and lands in the padding of the target."""
    source, target = transpose_tiles(numbers((50, 70)), ttnn.bfloat16, ALL_CORES, operations, device)
    assert_within(as_float64(target), as_float64(source).T, 0.0, "transpose")


def test_fp32_through_src_loses_thirteen_bits(operations, device):
    """A source register has 10 of fp32's 23 mantissa bits; the unpacker cuts the others off."""
    source, target = transpose_tiles(numbers((64, 96)), ttnn.float32, ONE_CORE, operations, device, exact_fp32=False)
    cut = (ttnn.to_numpy(source).view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32)
    assert_within(as_float64(target), cut.T.astype(np.float64), 0.0, "transpose")


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=lambda dtype: dtype.name)
def test_rows(dtype, operations, device):
    """80 x 112 fills no tile at the edges: what the circular buffers held there before must not come out."""
    array = np.stack([numbers((80, 112)) * factor for factor in (1, 2, 4)])
    source, target = transpose_rows(array, dtype, operations, device)
    assert_within(as_float64(target), as_float64(source).swapaxes(1, 2), 0.0, "transpose")
