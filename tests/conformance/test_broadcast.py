# SPDX-License-Identifier: Apache-2.0
"""Stock broadcasts: a row, a column or one number of the second (or first) operand against a whole tensor.

The smaller operand is a tensor of its own size, so the rest of its tiles is padding, and padding is poison here: a
broadcast that reads beyond its row, column or number shows at once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.conformance.binary_program import (
    ADD,
    MUL,
    OPERATIONS,
    OUTPUT,
    SUB,
    NgKernels,
    Operation,
    TileShape,
    config_for,
    operation_defines,
    run_binary_ng,
)
from tests.conformance.error_bounds import assert_within
from tests.conformance.named_bindings import named_kernel
from tests.conformance.programs import (
    ALL_CORES,
    ONE_CORE,
    SHAPES,
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

_READERS, _COMPUTE = "kernels_ng/dataflow", "kernels_ng/compute"
# Where binary_ng keeps the broadcast form of its first and of its second operand.
_SPREAD_A, _SPREAD_B = 5, 6


def _once(shape: TileShape) -> int:
    return 1


def _per_row(shape: TileShape) -> int:
    return shape.wt


def _per_plane(shape: TileShape) -> int:
    return shape.ht * shape.wt


def _by_unpacker(name: str, period: Callable[[TileShape], int], *, first: bool = False) -> NgKernels:
    """The compute kernel spreads the operand with unary_bcast, into a circular buffer of its own."""
    defines = (
        ("SRC_BCAST", "1" if first else "0"),
        ("SRC_BCAST_B", "0" if first else "1"),
        ("BCAST_LLK", "1"),
        ("BCAST_INPUT", "0" if first else "1"),
    )
    return NgKernels(
        f"{_READERS}/reader_interleaved_{name}_bcast.cpp",
        f"{_COMPUTE}/eltwise_binary_{name}_bcast.cpp",
        defines,
        period,
        (_SPREAD_A if first else _SPREAD_B,),
    )


def _by_reader(name: str, compute: str, fill: str, period: Callable[[TileShape], int]) -> NgKernels:
    """The reader spreads the second operand in L1 with ordinary stores."""
    side = {"row": "ROW", "col": "COLUMN", "scalar": "ELEMENT"}[name]
    defines = (
        ("SRC_BCAST", "0"),
        ("SRC_BCAST_B", "1"),
        ("BCAST_LLK", "0"),
        ("BCAST_INPUT", "1"),
        (f"FILL_TILE_WITH_FIRST_{side}_B", fill),
    )
    return NgKernels(
        f"{_READERS}/reader_interleaved_{name}_bcast.cpp", f"kernels/compute/{compute}.cpp", defines, period
    )


ROW = _by_unpacker("row", _once)
COLUMN = _by_unpacker("col", _per_row)
SCALAR = _by_unpacker("scalar", _per_plane)
BROADCASTS = {"row": ROW, "column": COLUMN, "scalar": SCALAR}


def _small(shape: Sequence[int], which: str) -> tuple[int, ...]:
    """The shape of the operand to broadcast."""
    height, width = shape[-2:]
    sides = {"row": (1, width), "column": (height, 1), "scalar": (1, 1)}[which]
    return (*shape[:-2], *sides)


def _normal(shape: Sequence[int], dtype: ttnn.DataType, device: ttnn.Device, seed: int) -> ttnn.Tensor:
    values = np.random.default_rng(seed).normal(0, 3, tuple(shape)).astype(np.float32)
    return on_device(values, dtype, device)


@pytest.mark.parametrize("which", BROADCASTS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operations(operation: Operation, which: str, operations: Path, device: ttnn.Device) -> None:
    shape = (96, 160)
    a = _normal(shape, ttnn.bfloat16, device, 1)
    b = _normal(_small(shape, which), ttnn.bfloat16, device, 2)
    result = run_binary_ng(operations, operation, BROADCASTS[which], a, b, shape, ALL_CORES)
    operation.check(result, a, b, which)


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat8_b], ids=["fp32", "bfp8"])
@pytest.mark.parametrize("which", BROADCASTS)
def test_formats(which: str, dtype: ttnn.DataType, operations: Path, device: ttnn.Device) -> None:
    shape = (96, 160)
    a = _normal(shape, dtype, device, 1)
    b = _normal(_small(shape, which), dtype, device, 2)
    result = run_binary_ng(operations, SUB, BROADCASTS[which], a, b, shape, ALL_CORES)
    SUB.check(result, a, b, which)


@pytest.mark.parametrize("cores", [ONE_CORE, ALL_CORES], ids=["1core", "64cores"])
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 50, 80)], ids=str)
@pytest.mark.parametrize("which", BROADCASTS)
def test_sizes_and_cores(
    which: str, shape: tuple[int, ...], cores: ttnn.CoreRangeSet, operations: Path, device: ttnn.Device
) -> None:
    a = _normal(shape, ttnn.bfloat16, device, 3)
    b = _normal(_small(shape, which), ttnn.bfloat16, device, 4)
    result = run_binary_ng(operations, SUB, BROADCASTS[which], a, b, shape, cores)
    SUB.check(result, a, b, f"{which} {shape}")


@pytest.mark.parametrize(("which", "small"), [("row", (1, 3, 1, 96)), ("scalar", (2, 1, 1, 1))])
def test_over_batches(which: str, small: tuple[int, ...], operations: Path, device: ttnn.Device) -> None:
    shape = (2, 3, 64, 96)
    a = _normal(shape, ttnn.bfloat16, device, 5)
    b = _normal(small, ttnn.bfloat16, device, 6)
    result = run_binary_ng(operations, SUB, BROADCASTS[which], a, b, shape, ALL_CORES)
    SUB.check(result, a, b, f"{small}")


@pytest.mark.parametrize(("which", "period"), [("row", _once), ("column", _per_row), ("scalar", _per_plane)])
def test_first_operand(which: str, period: Callable[[TileShape], int], operations: Path, device: ttnn.Device) -> None:
    shape = (96, 160)
    kernels = _by_unpacker({"column": "col"}.get(which, which), period, first=True)
    a = _normal(_small(shape, which), ttnn.bfloat16, device, 7)
    b = _normal(shape, ttnn.bfloat16, device, 8)
    SUB.check(run_binary_ng(operations, SUB, kernels, a, b, shape, ALL_CORES), a, b, which)


FILLED_BY_READER = {
    "row": _by_reader("row", "eltwise_binary_no_bcast", "fill_tile_with_first_row_bfloat16", _once),
    "column": _by_reader("col", "eltwise_binary", "fill_tile_with_first_column_bfloat16", _per_row),
    "scalar": _by_reader("scalar", "eltwise_binary", "fill_tile_with_first_element_bfloat16", _per_plane),
}


@pytest.mark.parametrize("which", FILLED_BY_READER)
def test_spread_by_the_reader(which: str, operations: Path, device: ttnn.Device) -> None:
    shape = (96, 160)
    a = _normal(shape, ttnn.bfloat16, device, 9)
    b = _normal(_small(shape, which), ttnn.bfloat16, device, 10)
    result = run_binary_ng(operations, MUL, FILLED_BY_READER[which], a, b, shape, ALL_CORES)
    MUL.check(result, a, b, which)


@pytest.mark.parametrize("first", [False, True], ids=["a-2.5", "2.5-a"])
def test_number_from_the_host(first: bool, operations: Path, device: ttnn.Device) -> None:
    """The writer fills a tile with the number; with ``first`` it is the left operand."""
    shape, number = (96, 160), 2.5
    a = _normal(shape, ttnn.bfloat16, device, 11)
    result = output_like(shape, ttnn.bfloat16, device)
    extent = TileShape.of(a)
    used, work = split_work(ALL_CORES, extent.num_tiles)
    sides = [1, extent.n, extent.c, extent.ht, extent.wt, 1]
    device_dir = operations / "eltwise/binary_ng/device/kernels"
    half = struct.unpack("<I", struct.pack("<f", number))[0] >> 16
    unsharded = [("SRC_SHARDED", "0"), ("DST_SHARDED", "0")]
    reader = kernel(
        device_dir / "dataflow/reader_interleaved_no_bcast.cpp",
        used,
        ttnn.ReaderConfigDescriptor(),
        runtime_args(
            work,
            lambda count, start: [a.buffer_address(), start, extent.num_tiles, count, 0, *extent.strides(), *sides],
        ),
        compile_time_args=[*accessor(a), 0],
        defines=unsharded,
    )
    writer = kernel(
        device_dir / "dataflow/writer_interleaved_scalar.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [half << 16 | half, result.buffer_address(), start, count, 0, *sides]),
        compile_time_args=[*accessor(result), 0],
        defines=[*unsharded, ("FILL_WITH_VALUE", "fill_with_val_bfloat16")],
    )
    compute = kernel(
        device_dir / "compute/eltwise_binary_scalar.cpp",
        used,
        config_for(ttnn.bfloat16),
        runtime_args(work, lambda count, start: [count, 0, 0]),
        compile_time_args=[1],
        defines=[*operation_defines(SUB), ("SCALAR_IS_LHS", "1" if first else "0")],
    )
    cbs = [circular_buffer(index, ttnn.bfloat16, 2, used) for index in (0, 1, OUTPUT)]
    ttnn.generic_op([a, result], ttnn.ProgramDescriptor(kernels=[reader, writer, compute], cbs=cbs))
    left, right = as_float64(a), np.full(shape, number)
    if first:
        left, right = right, left
    assert_within(as_float64(result), left - right, SUB.bound(left, right, ttnn.bfloat16), "number")


# --- data_movement/bcast: the matrix unit broadcasts SrcB itself ---

_BCAST = "data_movement/bcast/device/kernels"


def _bcast_defines(operation: Operation, dim: str) -> list[tuple[str, str]]:
    return [
        ("CHAIN_BCAST_OP", f"compute_kernel_lib::BinaryFpuOp::{operation.name.capitalize()}"),
        ("CHAIN_BCAST_DIM", f"compute_kernel_lib::BroadcastDim::{dim}"),
    ]


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b], ids=["bf16", "fp32", "bfp8"])
@pytest.mark.parametrize("which", ["row", "column"])
def test_bcast_rows_and_columns(which: str, dtype: ttnn.DataType, operations: Path, device: ttnn.Device) -> None:
    """Rows are shared out by tile rows, columns by tile columns, as ttnn's host does."""
    shape = (2, 1, 256, 288)
    a = _normal(shape, dtype, device, 12)
    b = _normal(_small(shape, which), dtype, device, 13)
    result = output_like(shape, dtype, device)
    extent = TileShape.of(a)
    by_row = which == "row"
    used, work = split_work(ALL_CORES, extent.ht if by_row else extent.wt)
    plane = extent.ht * extent.wt
    ht = (lambda count, start: count) if by_row else (lambda count, start: extent.ht)
    wt = (lambda count, start: extent.wt) if by_row else (lambda count, start: count)
    skip = (lambda count, start: 0) if by_row else (lambda count, start: extent.wt - count)
    first_tile = (lambda count, start: start * extent.wt) if by_row else (lambda count, start: start)
    fixed = {
        "src0_num_tiles": extent.num_tiles,
        "NCHtWt": extent.num_tiles,
        "NC": extent.n * extent.c,
        "nc1": 0,
        "HtWt": plane,
    }
    arguments = {name: (lambda count, start, value=value: value) for name, value in fixed.items()}
    shares = {"Ht": ht, "Wt": wt}
    directory = operations / _BCAST
    name = "h_interleaved_input_rows" if by_row else "w_interleaved_input_cols"
    reader = named_kernel(
        directory / f"dataflow/reader_bcast_{name}_partitioned.cpp",
        used,
        ttnn.ReaderConfigDescriptor(),
        work,
        runtime=arguments | shares | {"start_id": first_tile} | ({} if by_row else {"Wt_skip": skip}),
        buffers={"in0": 0, "in1": 1},
        tensors={"src0": a, "src1": b},
    )
    batches = {"B": lambda count, start: extent.n * extent.c}
    compute = named_kernel(
        directory / f"compute/bcast_{'h' if by_row else 'w'}.cpp",
        used,
        config_for(dtype),
        work,
        runtime=batches | shares,
        buffers={"in0": 0, "in1": 1, "out": OUTPUT},
        defines=_bcast_defines(SUB, "Row" if by_row else "Col"),
    )
    writer = named_kernel(
        directory / "dataflow/writer_unary_interleaved_input_cols_batched.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        work,
        runtime=shares | {"Wt_read": first_tile, "Wt_skip": skip, "NC": arguments["NC"], "HtWt": arguments["HtWt"]},
        buffers={"out": OUTPUT},
        tensors={"dst": result},
    )
    cbs = [circular_buffer(index, dtype, 2, used) for index in (0, 1, OUTPUT)]
    ttnn.generic_op([a, b, result], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=cbs))
    SUB.check(result, a, b, f"bcast {which}")


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_bcast_scalar(operation: Operation, operations: Path, device: ttnn.Device) -> None:
    """bcast_hw.cpp with the reader that makes the number's tile itself: only its first element is written."""
    shape, number = (96, 160), -1.75
    a = _normal(shape, ttnn.bfloat16, device, 14)
    result = output_like(shape, ttnn.bfloat16, device)
    extent = TileShape.of(a)
    used, work = split_work(ALL_CORES, extent.num_tiles)
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    plane = extent.ht * extent.wt
    reader = kernel(
        operations / _BCAST / "dataflow/reader_bcast_scalar_interleaved_partitioned.cpp",
        used,
        ttnn.ReaderConfigDescriptor(),
        runtime_args(work, lambda count, start: [a.buffer_address(), bits, count, plane, 0, start, 0]),
        compile_time_args=accessor(a),
    )
    compute = kernel(
        operations / _BCAST / "compute/bcast_hw.cpp",
        used,
        config_for(ttnn.bfloat16),
        runtime_args(work, lambda count, start: [1, 1, count]),
        defines=[*_bcast_defines(operation, "Scalar"), ("BCAST_SCALAR", "1")],
    )
    writer = kernel(
        operations / "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [result.buffer_address(), count, start]),
        compile_time_args=[16, *accessor(result)],
    )
    cbs = [circular_buffer(index, ttnn.bfloat16, 2, used) for index in (0, 1, 16)]
    ttnn.generic_op([a, result], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=cbs))
    left, right = as_float64(a), np.full(shape, number)
    bound = operation.bound(left, right, ttnn.bfloat16)
    assert_within(as_float64(result), operation.reference(left, right), bound, f"{operation} number")


def test_row_against_column(operations: Path, device: ttnn.Device) -> None:
    """One operand is a row, the other a column."""
    shape = (96, 160)
    row_column = NgKernels(
        f"{_READERS}/reader_interleaved_row_col_mixed_bcast.cpp",
        f"{_COMPUTE}/eltwise_binary_row_col_bcast.cpp",
        (
            ("SRC_BCAST_COL", "1"),
            ("SRC_BCAST_ROW_B", "1"),
            ("BCAST_LLK", "1"),
            ("BCAST_INPUT", "0"),
            ("FILL_TILE_WITH_FIRST_COLUMN", "fill_tile_with_first_column_bfloat16"),
        ),
        _per_row,
        (_SPREAD_B,),
    )
    a = _normal((96, 1), ttnn.bfloat16, device, 15)
    b = _normal((1, 160), ttnn.bfloat16, device, 16)
    ADD.check(run_binary_ng(operations, ADD, row_column, a, b, shape, ALL_CORES), a, b, "row and column")
