# SPDX-License-Identifier: Apache-2.0
"""Stock tilize and untilize: values only move, so every bit is expected back, except fp32 through Src."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.core_groups import cores_by_units
from tests.conformance.named_bindings import named_kernel
from tests.conformance.programs import (
    ALL_CORES,
    ONE_CORE,
    SHAPES,
    TILE,
    accessor,
    circular_buffer,
    kernel,
    runtime_args,
    split_work,
)
from tilewright import ttnn

CB_IN, CB_OUT = 0, 16
BOTH = [ttnn.bfloat16, ttnn.float32]
# 70 rows of tiles: some of the 64 cores get two, some one.
UNEVEN = (70 * TILE, 96)


def compute_config(dtype: ttnn.DataType, *, exact_fp32: bool = True) -> ttnn.ComputeConfigDescriptor:
    """fp32 stays whole only if it is unpacked straight into a 32-bit DST, which ttnn's host code asks for."""
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=dtype == ttnn.float32)
    if dtype == ttnn.float32 and exact_fp32:
        modes = [ttnn.UnpackToDestMode.Default] * 32
        modes[CB_IN] = ttnn.UnpackToDestMode.UnpackToDestFp32
        config.unpack_to_dest_mode = modes
    return config


def numbers(shape: Sequence[int]) -> NDArray[np.float32]:
    """Both signs and many exponents, each element another value: a moved element shows."""
    rng = np.random.default_rng(7)
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-60, 60, shape)).astype(np.float32)


def tensors(
    array: NDArray[np.float32], dtype: ttnn.DataType, layouts: tuple[ttnn.Layout, ttnn.Layout], device: ttnn.Device
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    source = ttnn.from_numpy(array, dtype=dtype, layout=layouts[0], device=device)
    target = ttnn.allocate_tensor_on_device(ttnn.Shape(array.shape), dtype, layouts[1], device)
    return source, target


def tilize_on_one_core(
    array: NDArray[np.float32], dtype: ttnn.DataType, operations: Path, device: ttnn.Device, *, exact_fp32: bool = True
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    """Rows of tiles are cut into blocks that a small circular buffer holds."""
    source, target = tensors(array, dtype, (ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT), device)
    rows, columns = array.shape[0] // TILE, array.shape[1] // TILE
    block = next(width for width in (8, 5, 1) if columns % width == 0)
    work = [(ttnn.CoreCoord(0, 0), rows * columns, 0)]
    reader = named_kernel(
        operations / "data_movement/tilize/device/kernels/dataflow/reader_unary_stick_layout_split_rows_singlecore.cpp",
        ONE_CORE,
        ttnn.ReaderConfigDescriptor(),
        work,
        compile_time={"tile_height": TILE},
        runtime={
            "num_sticks": lambda count, start: array.shape[0],
            "num_tiles_per_block": lambda count, start: block,
            "block_width_size": lambda count, start: block * TILE * ttnn.element_size(dtype),
            "num_full_blocks_in_row": lambda count, start: columns // block,
            "start_stick_id": lambda count, start: 0,
        },
        buffers={"in": CB_IN},
        tensors={"src": source},
    )
    compute = kernel(
        operations.parent / "kernel/compute/tilize.cpp",
        ONE_CORE,
        compute_config(dtype, exact_fp32=exact_fp32),
        compile_time_args=[rows * columns // block, block],
    )
    writer = tile_writer(target, ONE_CORE, work, operations)
    buffers = [circular_buffer(index, dtype, 2 * block, ONE_CORE) for index in (CB_IN, CB_OUT)]
    ttnn.generic_op([source, target], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=buffers))
    return source, target


def tile_writer(
    target: ttnn.Tensor, cores: ttnn.CoreRangeSet, work: Sequence[tuple[ttnn.CoreCoord, int, int]], operations: Path
) -> ttnn.KernelDescriptor:
    return kernel(
        operations / "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
        cores,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [target.buffer_address(), count, start]),
        compile_time_args=[CB_OUT, *accessor(target)],
    )


def tilize_on_all_cores(
    array: NDArray[np.float32], dtype: ttnn.DataType, operations: Path, device: ttnn.Device
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    """A core takes whole rows of tiles."""
    source, target = tensors(array, dtype, (ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT), device)
    columns = array.shape[1] // TILE
    stick_bytes = array.shape[1] * ttnn.element_size(dtype)
    cores, work = split_work(ALL_CORES, array.shape[0] // TILE)
    reader = named_kernel(
        operations / "data_movement/tilize/device/kernels/dataflow/reader_unary_stick_layout_split_rows_multicore.cpp",
        cores,
        ttnn.ReaderConfigDescriptor(),
        work,
        compile_time={
            "tile_height": TILE,
            "num_pages_in_row": 1,
            "size_of_valid_data_in_last_page_in_row": stick_bytes,
        },
        runtime={
            "num_rows": lambda count, start: count * TILE,
            "num_tiles_per_block": lambda count, start: columns,
            "block_width_size": lambda count, start: stick_bytes,
            "num_full_blocks_in_row": lambda count, start: 1,
            "start_page_id": lambda count, start: start * TILE,
        },
        buffers={"in": CB_IN},
        tensors={"src": source},
    )
    compute = [
        kernel(
            operations / "data_movement/tilize/device/kernels/compute/tilize.cpp",
            group,
            compute_config(dtype),
            compile_time_args=[CB_IN, CB_OUT, count, columns],
        )
        for count, group in cores_by_units(work).items()
    ]
    tiles = [(core, count * columns, start * columns) for core, count, start in work]
    writer = tile_writer(target, cores, tiles, operations)
    buffers = [circular_buffer(index, dtype, columns, cores) for index in (CB_IN, CB_OUT)]
    ttnn.generic_op([source, target], ttnn.ProgramDescriptor(kernels=[reader, *compute, writer], cbs=buffers))
    return source, target


def tile_reader(
    source: ttnn.Tensor, cores: ttnn.CoreRangeSet, work: Sequence[tuple[ttnn.CoreCoord, int, int]], operations: Path
) -> ttnn.KernelDescriptor:
    return kernel(
        operations / "data_movement/untilize/device/kernels/dataflow/reader_unary_start_id.cpp",
        cores,
        ttnn.ReaderConfigDescriptor(),
        runtime_args(work, lambda count, start: [source.buffer_address(), count, start]),
        compile_time_args=[CB_IN, *accessor(source)],
    )


def untilize_on_one_core(
    array: NDArray[np.float32], dtype: ttnn.DataType, operations: Path, device: ttnn.Device, *, exact_fp32: bool = True
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    source, target = tensors(array, dtype, (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT), device)
    rows, columns = array.shape[0] // TILE, array.shape[1] // TILE
    block = next(width for width in (16, 5, 1) if columns % width == 0)
    work = [(ttnn.CoreCoord(0, 0), rows * columns, 0)]
    compute = kernel(
        operations / "data_movement/untilize/device/kernels/compute/untilize.cpp",
        ONE_CORE,
        compute_config(dtype, exact_fp32=exact_fp32),
        compile_time_args=[rows * columns // block, block, CB_IN, CB_OUT],
    )
    writer = named_kernel(
        operations / "data_movement/untilize/device/kernels/dataflow"
        "/writer_unary_stick_layout_split_rows_single_core.cpp",
        ONE_CORE,
        ttnn.WriterConfigDescriptor(),
        work,
        compile_time={
            "tile_height": TILE,
            "num_blocks_across_height": rows,
            "num_output_columns_of_blocks": 1,
            "num_blocks_per_output_column_row": columns // block,
            "num_tiles_per_output_block": block,
            "output_single_block_width_size": block * TILE * ttnn.element_size(dtype),
        },
        buffers={"out": CB_OUT},
        tensors={"dst": target},
    )
    buffers = [circular_buffer(index, dtype, 2 * block, ONE_CORE) for index in (CB_IN, CB_OUT)]
    reader = tile_reader(source, ONE_CORE, work, operations)
    ttnn.generic_op([source, target], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=buffers))
    return source, target


def untilize_on_all_cores(
    array: NDArray[np.float32], dtype: ttnn.DataType, operations: Path, device: ttnn.Device
) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    source, target = tensors(array, dtype, (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT), device)
    columns = array.shape[1] // TILE
    cores, work = split_work(ALL_CORES, array.shape[0] // TILE)
    compute = kernel(
        operations / "data_movement/untilize/device/kernels/compute/untilize_variable_num_blocks.cpp",
        cores,
        compute_config(dtype),
        runtime_args(work, lambda count, start: [count]),
        compile_time_args=[columns, CB_IN, CB_OUT],
    )
    writer = named_kernel(
        operations / "data_movement/untilize/device/kernels/dataflow"
        "/writer_unary_stick_layout_split_rows_multi_core.cpp",
        cores,
        ttnn.WriterConfigDescriptor(),
        work,
        compile_time={
            "tile_height": TILE,
            "num_tiles_per_input_block": columns,
            "num_output_blocks_across_width": 1,
            "output_element_size": ttnn.element_size(dtype),
            "num_cols_per_input_block": array.shape[1],
            "num_cols_per_output_block": array.shape[1],
        },
        runtime={
            "num_input_blocks_to_process": lambda count, start: count,
            "height_wise_input_block_start_index": lambda count, start: start,
            "num_unpadded_cols_per_input_block": lambda count, start: array.shape[1],
            "width_wise_output_block_start_index": lambda count, start: 0,
            "num_cols_already_processed_in_first_output_block": lambda count, start: 0,
        },
        buffers={"out": CB_OUT},
        tensors={"dst": target},
    )
    tiles = [(core, count * columns, start * columns) for core, count, start in work]
    reader = tile_reader(source, cores, tiles, operations)
    buffers = [circular_buffer(index, dtype, columns, cores) for index in (CB_IN, CB_OUT)]
    ttnn.generic_op([source, target], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=buffers))
    return source, target


def words(tensor: ttnn.Tensor) -> NDArray[np.uint32]:
    return ttnn.to_numpy(tensor).astype(np.float32).view(np.uint32)


@pytest.mark.parametrize("dtype", BOTH, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("operation", [tilize_on_one_core, untilize_on_one_core])
def test_one_core_moves_every_bit(operation, shape, dtype, operations, device):
    source, target = operation(numbers(shape), dtype, operations, device)
    np.testing.assert_array_equal(words(target), words(source))


@pytest.mark.parametrize("dtype", BOTH, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", [*SHAPES, UNEVEN], ids=str)
@pytest.mark.parametrize("operation", [tilize_on_all_cores, untilize_on_all_cores])
def test_all_cores_move_every_bit(operation, shape, dtype, operations, device):
    source, target = operation(numbers(shape), dtype, operations, device)
    np.testing.assert_array_equal(words(target), words(source))


@pytest.mark.parametrize("operation", [tilize_on_one_core, untilize_on_one_core])
def test_fp32_through_src_loses_thirteen_bits(operation, operations, device):
    """A source register has 10 of fp32's 23 mantissa bits; the unpacker cuts the others off."""
    source, target = operation(numbers((96, 160)), ttnn.float32, operations, device, exact_fp32=False)
    np.testing.assert_array_equal(words(target), words(source) & ~np.uint32(0x1FFF))
