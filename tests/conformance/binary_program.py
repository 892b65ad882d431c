# SPDX-License-Identifier: Apache-2.0
"""Host side of ttnn's binary operations on the matrix unit: the older pair of kernels, and binary_ng's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.conformance.error_bounds import Array, assert_within, multiplied, packed, summed
from tests.conformance.programs import (
    TILE,
    accessor,
    as_float64,
    circular_buffer,
    kernel,
    output_like,
    runtime_args,
    split_work,
)
from tests.conformance.unary_program import SFPU_INCLUDES, compute_config
from tilewright import ttnn

OUTPUT = 2
Defines = list[tuple[str, str]]


@dataclass(frozen=True)
class Operation:
    name: str
    call: str
    kind: str
    reference: Callable[[Array, Array], Array]

    def __str__(self) -> str:
        return self.name

    def bound(self, a: Array, b: Array, dtype: ttnn.DataType) -> Array:
        """Of the packed result; float32 data use 32-bit DST and go through Src."""
        a, b = np.broadcast_arrays(a, b)
        expected, wide = self.reference(a, b), dtype == ttnn.float32
        if self.name == "mul":
            in_dst = multiplied(expected, from_float32=wide, wide_dst=wide)
        else:
            in_dst = summed(a, b, expected, from_float32=wide, wide_dst=wide)
        return in_dst + packed(expected, dtype, wide_dst=wide, already=in_dst)

    def check(self, result: ttnn.Tensor, a: ttnn.Tensor, b: ttnn.Tensor, what: str = "") -> None:
        """``result`` against float64 of what the operands really hold."""
        left, right = as_float64(a), as_float64(b)
        bound = self.bound(left, right, result.dtype)
        assert_within(as_float64(result), self.reference(left, right), bound, f"{self.name} {what}")


ADD = Operation("add", "add_tiles", "EltwiseBinaryType::ELWADD", np.add)
SUB = Operation("sub", "sub_tiles", "EltwiseBinaryType::ELWSUB", np.subtract)
MUL = Operation("mul", "mul_tiles", "EltwiseBinaryType::ELWMUL", np.multiply)
OPERATIONS = [ADD, SUB, MUL]


def config_for(
    dtype: ttnn.DataType, fidelity: ttnn.MathFidelity = ttnn.MathFidelity.HiFi4
) -> ttnn.ComputeConfigDescriptor:
    return compute_config(wide_dst=dtype == ttnn.float32, fidelity=fidelity)


def _device_of(tensor: ttnn.Tensor) -> ttnn.Device:
    device = tensor.device()
    assert device is not None
    return device


def run_older_binary(
    operations: Path,
    operation: Operation,
    a: ttnn.Tensor,
    b: ttnn.Tensor,
    cores: ttnn.CoreRangeSet,
    *,
    fidelity: ttnn.MathFidelity = ttnn.MathFidelity.HiFi4,
    defines: Sequence[tuple[str, str]] = (),
    buffers: Sequence[int] = (),
    tiles_at_once: int = 1,
) -> ttnn.Tensor:
    """eltwise/binary: both operands have the result's shape. ``buffers``: CBs the defines make use of."""
    result = output_like(tuple(a.shape), a.dtype, _device_of(a))
    used, work = split_work(cores, a.padded_shape.volume() // TILE**2)
    reader = kernel(
        operations / "eltwise/binary/device/kernels/dataflow/reader_binary_interleaved_start_id.cpp",
        used,
        ttnn.ReaderConfigDescriptor(),
        runtime_args(work, lambda count, start: [a.buffer_address(), b.buffer_address(), count, start, 0, 0, 0]),
        compile_time_args=[0, *accessor(a), *accessor(b)],
    )
    compute = kernel(
        operations / "eltwise/binary/device/kernels/compute/eltwise_binary_kernel.cpp",
        used,
        config_for(a.dtype, fidelity),
        runtime_args(work, lambda count, start: [count // tiles_at_once, tiles_at_once]),
        defines=[("ELTWISE_OP", operation.call), ("ELTWISE_OP_TYPE", operation.kind), *defines, *SFPU_INCLUDES],
    )
    writer = kernel(
        operations / "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [result.buffer_address(), count, start]),
        compile_time_args=[OUTPUT, *accessor(result)],
    )
    cbs = [circular_buffer(index, a.dtype, 2 * tiles_at_once, used) for index in (0, 1, OUTPUT, *buffers)]
    return ttnn.generic_op([a, b, result], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=cbs))


@dataclass(frozen=True)
class TileShape:
    """A tensor's extent as binary_ng's kernels count it."""

    n: int
    c: int
    ht: int
    wt: int

    @staticmethod
    def of(tensor: ttnn.Tensor) -> TileShape:
        padded = [1] * (4 - len(tensor.padded_shape)) + list(tensor.padded_shape)
        return TileShape(padded[0], padded[1], padded[2] // TILE, padded[3] // TILE)

    @property
    def num_tiles(self) -> int:
        return self.n * self.c * self.ht * self.wt

    def strides(self) -> list[int]:
        """Tiles to move on in nD, D, N, C; 0 where this operand is repeated."""
        plane = self.ht * self.wt
        return [0, 0, plane * self.c * (self.n > 1), plane * (self.c > 1)]


@dataclass(frozen=True)
class NgKernels:
    """One choice of binary_ng's kernels. ``period``: of which tiles the broadcast operand is read once."""

    reader: str
    compute: str
    defines: tuple[tuple[str, str], ...] = ()
    period: Callable[[TileShape], int] = lambda shape: 1
    buffers: tuple[int, ...] = ()

    def with_buffers(self, *indices: int) -> NgKernels:
        """The same with further circular buffers."""
        return replace(self, buffers=self.buffers + indices)


NO_BROADCAST = NgKernels(
    "kernels_ng/dataflow/reader_interleaved_no_bcast.cpp", "kernels/compute/eltwise_binary_no_bcast.cpp"
)


def run_binary_ng(
    operations: Path,
    operation: Operation,
    kernels: NgKernels,
    a: ttnn.Tensor,
    b: ttnn.Tensor,
    shape: Sequence[int],
    cores: ttnn.CoreRangeSet,
    activations: Sequence[tuple[str, str]] = (),
) -> ttnn.Tensor:
    """eltwise/binary_ng: a and b broadcast to ``shape``."""
    device_dir = operations / "eltwise/binary_ng/device"
    result = output_like(shape, a.dtype, _device_of(a))
    out, of_a, of_b = TileShape.of(result), TileShape.of(a), TileShape.of(b)
    used, work = split_work(cores, out.num_tiles)
    extent = [1, out.n, out.c, out.ht, out.wt, 1]
    defines: Defines = [("SRC_SHARDED", "0"), ("SRC_SHARDED_B", "0"), ("DST_SHARDED", "0"), *kernels.defines]
    reader = kernel(
        device_dir / kernels.reader,
        used,
        ttnn.ReaderConfigDescriptor(),
        runtime_args(
            work,
            lambda count, start: [
                *(a.buffer_address(), start, of_a.num_tiles, count, 0, *of_a.strides(), *extent),
                *(b.buffer_address(), *of_b.strides(), of_b.num_tiles, of_a.wt, of_b.wt),
            ],
        ),
        compile_time_args=[*accessor(a), *accessor(b), 0],
        defines=defines,
    )
    writer = kernel(
        device_dir / "kernels_ng/dataflow/writer_interleaved_no_bcast.cpp",
        used,
        ttnn.WriterConfigDescriptor(),
        runtime_args(work, lambda count, start: [result.buffer_address(), start, count, 0, *extent]),
        compile_time_args=[*accessor(result), 0],
        defines=defines,
    )
    period = kernels.period(out)
    compute = kernel(
        device_dir / kernels.compute,
        used,
        config_for(a.dtype),
        runtime_args(work, lambda count, start: [count, period, start % period]),
        compile_time_args=[1],
        defines=[*defines, *operation_defines(operation, activations), *SFPU_INCLUDES],
    )
    cbs = [circular_buffer(index, a.dtype, 2, used) for index in (0, 1, OUTPUT, *kernels.buffers)]
    return ttnn.generic_op([a, b, result], ttnn.ProgramDescriptor(kernels=[reader, writer, compute], cbs=cbs))


def operation_defines(operation: Operation, activations: Sequence[tuple[str, str]] = ()) -> Defines:
    """``activations``: code to run on an operand (LHS, RHS) or the result (POST)."""
    chosen = dict(activations)
    return [
        ("BINARY_OP", operation.call),
        ("BINARY_OP_TYPE", operation.kind),
        *((f"PROCESS_{side}_ACTIVATIONS(i)", chosen.get(side, "")) for side in ("LHS", "RHS", "POST")),
    ]
