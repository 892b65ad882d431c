# SPDX-License-Identifier: Apache-2.0
"""Stock reduce over width, height and both: sum, mean, max. All its kernels have named bindings: a program spec."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.conformance.accumulation import FACE, Step, accumulated, exact_in_eights, grouped, kept, phases, rounded_sum
from tests.conformance.error_bounds import BFLOAT16_NEAREST, FLOAT32_STEP, TF32_TRUNCATED, Array, assert_within, rounded
from tests.conformance.programs import ALL_CORES, ONE_CORE, TILE, as_float64, on_device, output_like, split_work
from tilewright import ttnn
from tilewright._program.specs.lower import lower
from tilewright._program.specs.program_spec import (
    CompilerOptions,
    ComputeHardwareConfig,
    DataflowBufferSpec,
    DFBBinding,
    DFBEndpointType,
    KernelSpec,
    ProgramSpec,
    RuntimeArgSchema,
    TensorBinding,
    TensorParameter,
    UnpackMode,
    WorkUnitSpec,
)
from tilewright._program.specs.run_args import AddRuntimeArgsForNode, KernelRunArgs, ProgramRunArgs, RuntimeArgValues

HIFI4 = ttnn.MathFidelity.HiFi4
DIMS = {"W": "REDUCE_ROW", "H": "REDUCE_COL", "HW": "REDUCE_SCALAR"}
AXIS = {"W": 1, "H": 0, "HW": (0, 1)}
SHAPES = [(32, 32), (96, 160), (1024, 1024)]


class Reduction:
    """One reduce of a two-dimensional tensor: what runs where with which arguments."""

    def __init__(self, source: ttnn.Tensor, pool: str, dim: str, scaler: float, *, wide_dst: bool, cores: object):
        self.source, self.pool, self.dim, self.scaler, self.wide_dst = source, pool, dim, scaler, wide_dst
        self.rows, self.columns = (-(-extent // TILE) for extent in source.shape)
        self.output_tiles = {"W": self.rows, "H": self.columns, "HW": 1}[dim]
        self.cores, self.work = split_work(cores, self.output_tiles)

    def run(self, operations: Path, device: ttnn.Device, *, accurate: bool = False) -> Array:
        """The reduced elements, without the rest of their tiles. ``accurate``: float32 on the vector unit."""
        height, width = self.source.shape
        shape = {"W": (height, 1), "H": (1, width), "HW": (1, 1)}[self.dim]
        target = output_like(shape, self.source.dtype, device)
        spec = ProgramSpec(
            "reduce",
            kernels=[self._reader(operations), self._compute(operations, accurate), self._writer(operations)],
            dataflow_buffers=self._buffers(),
            tensor_parameters=[TensorParameter("input"), TensorParameter("output")],
            work_units=[WorkUnitSpec("all", ["reader", "compute", "writer"], self.cores)],
        )
        run_args = ProgramRunArgs(self._run_args(), {"input": self.source, "output": target})
        ttnn.generic_op([self.source, target], lower(spec, run_args))
        return as_float64(target)

    def _defines(self) -> CompilerOptions:
        defines = {
            "REDUCE_OP": f"ckernel::PoolType::{self.pool}",
            "REDUCE_DIM": f"ckernel::ReduceDim::{DIMS[self.dim]}",
        }
        return CompilerOptions(
            defines={**defines, "ENABLE_FP32_DEST_ACC": str(int(self.wide_dst)), "DST_SYNC_FULL": "0"}
        )

    def _buffers(self) -> list[DataflowBufferSpec]:
        dtype = self.source.dtype
        scaler = ttnn.float32 if dtype == ttnn.float32 else ttnn.bfloat16
        sizes = {"in0": (dtype, 2 * self._batch()), "scaler": (scaler, 1), "out": (dtype, 2)}
        return [
            DataflowBufferSpec(name, entry_size=ttnn.tile_size(kind), num_entries=count, data_format_metadata=kind)
            for name, (kind, count) in sizes.items()
        ]

    def _batch(self) -> int:
        """Tiles the reader fetches between barriers: a chunk of columns fills DST."""
        return (4 if self.wide_dst else 8) if self.dim == "H" else 2

    def _reader(self, operations: Path) -> KernelSpec:
        dataflow = operations / "reduction/generic/device/kernels/dataflow"
        names = ["num_tiles", "start_id", "scaler_bits"]
        compile_time = {"tiles_per_batch": self._batch()}
        source = dataflow / "reader_unary_reduce_universal_start_id.cpp"
        if self.dim == "H":
            names = ["col_start_tile_id", "curr_col_in_batch", "num_cols", "scaler_bits"]
            source = dataflow / "reader_unary_transpose_wh_universal_input_cols_partitioned.cpp"
            compile_time |= {"Ht": self.rows, "Wt": self.columns, "HtWt": self.rows * self.columns, "use_welford": 0}
            compile_time |= {"enable_fp32_sfpu": 0, "num_h_slices": 1, "slice_Ht": self.rows}
        return KernelSpec(
            "reader",
            source,
            ttnn.ReaderConfigDescriptor(),
            compiler_options=self._defines(),
            dfb_bindings=[DFBBinding(name, name, DFBEndpointType.PRODUCER) for name in ("in0", "scaler")],
            tensor_bindings=[TensorBinding("input", "src")],
            compile_time_args=compile_time,
            runtime_arg_schema=RuntimeArgSchema(names),
        )

    def _compute(self, operations: Path, accurate: bool) -> KernelSpec:
        config = ComputeHardwareConfig(enable_32_bit_dest=self.wide_dst)
        config.unpack_modes = {
            "in0": UnpackMode.UnpackToDest if accurate else UnpackMode.UnpackToSrc,
            "scaler": UnpackMode.UnpackToSrc,
        }
        bindings = [DFBBinding(name, name, DFBEndpointType.CONSUMER) for name in ("in0", "scaler")]
        return KernelSpec(
            "compute",
            operations / "reduction/generic/device/kernels/compute/reduce.cpp",
            config,
            compiler_options=self._defines(),
            dfb_bindings=[*bindings, DFBBinding("out", "out", DFBEndpointType.PRODUCER)],
            compile_time_args={"enable_fp32_sfpu": int(accurate)},
            runtime_arg_schema=RuntimeArgSchema(["Ht", "Wt", "NC"]),
        )

    def _writer(self, operations: Path) -> KernelSpec:
        return KernelSpec(
            "writer",
            operations / "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id_metal2.cpp",
            ttnn.WriterConfigDescriptor(),
            dfb_bindings=[DFBBinding("out", "out", DFBEndpointType.CONSUMER)],
            tensor_bindings=[TensorBinding("output", "dst")],
            runtime_arg_schema=RuntimeArgSchema(["num_pages", "start_id"]),
        )

    def _run_args(self) -> list[KernelRunArgs]:
        values: dict[str, RuntimeArgValues] = {"reader": {}, "compute": {}, "writer": {}}
        for core, count, start in self.work:
            rows = {"W": count, "H": self.rows, "HW": self.rows}[self.dim]
            columns = {"W": self.columns, "H": count, "HW": self.columns}[self.dim]
            if self.dim == "H":
                reader = {"col_start_tile_id": start, "curr_col_in_batch": start, "num_cols": count}
            else:
                reader = {"num_tiles": rows * columns, "start_id": start * self.columns}
            reader["scaler_bits"] = struct.unpack("I", struct.pack("f", self.scaler))[0]
            AddRuntimeArgsForNode(values["reader"], core, reader)
            AddRuntimeArgsForNode(values["compute"], core, {"Ht": rows, "Wt": columns, "NC": 1})
            AddRuntimeArgsForNode(values["writer"], core, {"num_pages": count, "start_id": start})
        return [KernelRunArgs(name, each) for name, each in values.items()]


def faces(x: Array) -> Array:
    """Indexed by row and column of the tile, row and column of the face in it."""
    height, width = x.shape
    cut = x.reshape(height // TILE, 2, FACE, width // TILE, 2, FACE)
    return cut.transpose(0, 3, 1, 4, 2, 5)


def row_steps(x: Array, scaler: float) -> Iterator[Step]:
    """Data in SrcB, scaler in SrcA. A tile's two columns of faces go through one phase, then through the next."""
    for tile in x.reshape(len(x), -1, 2, FACE).swapaxes(0, 1):
        for scale, part in phases(np.float64(scaler), tile, HIFI4):
            for face in (0, 1):
                yield grouped(part[:, face] * scale, axis=-1)


def pooled_steps(x: Array, scaler: float) -> Iterator[Step]:
    """Data in SrcA, 16 rows of it at a time through all phases, scaler in SrcB."""
    for face in x.reshape(-1, FACE, x.shape[1]):
        for part, scale in phases(face, np.float64(scaler), HIFI4):
            yield grouped(part * scale, axis=0)


def step_of_tile(step: Step, tile: int) -> Step:
    return Step((step.groups[0][tile], step.groups[1][tile]), step.magnitude[tile])


def whole_steps(x: Array, scaler: float, *, wide_dst: bool) -> tuple[list[Step], Array]:
    """Tile by tile: the four faces are pooled into 16 sums, which go back through SrcA and are pooled again.

    Returns the steps of the second pooling and the error the first ones bring with them.
    """
    tiles = faces(x).reshape(-1, 4 * FACE, FACE)
    first = pooled_steps(tiles.swapaxes(0, 1).reshape(4 * FACE, -1), scaler)
    sums, error = accumulated(first, wide_dst=wide_dst)
    if wide_dst:
        error = error + rounded(np.abs(sums) + error, TF32_TRUNCATED)
    second = list(pooled_steps(sums.reshape(-1, FACE).T, scaler))
    steps = [step_of_tile(step, tile) for tile in range(len(tiles)) for step in second]
    return steps, (error * abs(scaler)).sum()


def data(shape: tuple[int, int], dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    return on_device(np.random.default_rng(3).standard_normal(shape).astype(np.float32) + 0.25, dtype, device)


def sum_bound(x: Array, scaler: float, dim: str, *, wide_dst: bool) -> tuple[Array, Array]:
    """The sum of what the multiplier sees, and how far DST can be from it."""
    if dim == "HW":
        steps, already = whole_steps(x, scaler, wide_dst=wide_dst)
        value, error = accumulated(steps, wide_dst=wide_dst, already=already)
    else:
        value, error = accumulated((row_steps if dim == "W" else pooled_steps)(x, scaler), wide_dst=wide_dst)
    shape = {"W": (-1, 1), "H": (1, -1), "HW": (1, 1)}[dim]
    return value.reshape(shape), error.reshape(shape)


def cores_for(shape: tuple[int, int], dim: str) -> ttnn.CoreRangeSet:
    return ONE_CORE if shape == (32, 32) or dim == "HW" else ALL_CORES


# Over thousands of tiles the bound of a whole sum in 16-bit DST says nothing; the test to the bit has that size.
SUMS = [
    pytest.param(shape, dim, dtype, id=f"{shape}-{dim}-{dtype.name}")
    for shape in SHAPES
    for dim in DIMS
    for dtype in (ttnn.bfloat16, ttnn.float32)
    if (shape, dim, dtype) != ((1024, 1024), "HW", ttnn.bfloat16)
]


@pytest.mark.parametrize(("shape", "dim", "dtype"), SUMS)
@pytest.mark.parametrize("pool", ["SUM", "AVG"])
def test_sum_and_mean(pool, shape, dim, dtype, operations, device):
    wide = dtype == ttnn.float32
    source = data(shape, dtype, device)
    x = as_float64(source)
    count = {"W": shape[1], "H": shape[0], "HW": shape[0] * shape[1]}[dim]
    # A whole-tile reduction multiplies by the scaler twice.
    scaler = 1.0 if pool == "SUM" else 1 / np.sqrt(count) if dim == "HW" else 1 / count
    # The stock reader cuts the scaler to the format of its buffer; Src keeps 11 bits of a float32.
    used = float(kept(np.float64(scaler), 0xFFFFE000 if wide else 0xFFFF0000))
    expected = x.sum(axis=AXIS[dim], keepdims=True) * (scaler**2 if dim == "HW" else scaler)
    seen, error = sum_bound(x, used, dim, wide_dst=wide)
    # ``seen`` has the bits of data, scaler and (HW) first sums that the multiplier takes.
    loss = np.abs(seen - expected)
    got = Reduction(source, pool, dim, scaler, wide_dst=wide, cores=cores_for(shape, dim)).run(operations, device)
    assert_within(got, expected, loss + error, f"{pool} over {dim}")


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_max(shape, dim, dtype, operations, device):
    """A maximum is one of its operands: exact, but for the bits a float32 loses in Src."""
    source = data(shape, dtype, device)
    expected = kept(as_float64(source), 0xFFFFE000).max(axis=AXIS[dim], keepdims=True)
    reduction = Reduction(source, "MAX", dim, 1.0, wide_dst=dtype == ttnn.float32, cores=cores_for(shape, dim))
    assert_within(reduction.run(operations, device), expected, 0.0, f"MAX over {dim}")


@pytest.mark.parametrize("pool", ["SUM", "MAX"])
@pytest.mark.parametrize("dim", ["W", "H"])
def test_poisoned_padding_stays_outside(dim, pool, operations, device):
    """The other dimension is not a multiple of 32: rows or columns of poison are reduced, into padding only."""
    shape = (50, 96) if dim == "W" else (96, 50)
    source = data(shape, ttnn.bfloat16, device)
    x = as_float64(source)
    got = Reduction(source, pool, dim, 1.0, wide_dst=False, cores=ALL_CORES).run(operations, device)
    if pool == "MAX":
        assert_within(got, x.max(axis=AXIS[dim], keepdims=True), 0.0, "MAX beside poison")
        return
    expected, error = sum_bound(x, 1.0, dim, wide_dst=False)
    assert_within(got, expected, error, "SUM beside poison")


@pytest.mark.parametrize("dim", ["W", "H"])
def test_wide_dst_keeps_the_sum_of_bfloat16(dim, operations, device):
    """bfloat16 data, 32-bit DST: one rounding at the very end, by the packer."""
    source = data((512, 512), ttnn.bfloat16, device)
    expected, error = sum_bound(as_float64(source), 1.0, dim, wide_dst=True)
    got = Reduction(source, "SUM", dim, 1.0, wide_dst=True, cores=ALL_CORES).run(operations, device)
    assert_within(got, expected, error + rounded(np.abs(expected) + error, BFLOAT16_NEAREST), "SUM")


def rounded_whole(x: Array) -> Array:
    """The sum of everything as a 16-bit DST has it: 16 sums per tile, then those of all tiles one after the other."""
    tiles = faces(x).reshape(-1, 4 * FACE, FACE)
    sums = rounded_sum(pooled_steps(tiles.swapaxes(0, 1).reshape(4 * FACE, -1), 1.0))
    second = list(pooled_steps(sums.reshape(-1, FACE).T, 1.0))
    return rounded_sum(step_of_tile(step, tile) for tile in range(len(tiles)) for step in second).reshape(1)


@pytest.mark.parametrize("dim", DIMS)
def test_narrow_dst_rounds_after_every_step(dim, operations, device):
    """To the bit: sums of 8 are exact for these numbers, so only the documented roundings are left."""
    x = exact_in_eights((1024, 1024))
    source = on_device(x.astype(np.float32), ttnn.bfloat16, device)
    expected = {
        "W": lambda: rounded_sum(row_steps(x, 1.0)),
        "H": lambda: rounded_sum(pooled_steps(x, 1.0)),
        "HW": lambda: rounded_whole(x),
    }[dim]()
    got = Reduction(source, "SUM", dim, 1.0, wide_dst=False, cores=cores_for(x.shape, dim)).run(operations, device)
    assert_within(got.reshape(-1), expected, 0.0, "SUM")


@pytest.mark.parametrize(("length", "narrow"), [(1024, 1024), (4096, 4096), (6144, 8192), (8192, 8192), (16384, 8192)])
def test_sum_of_ones(length, narrow, operations, device):
    """Steps of 16 fit a bfloat16 up to 4096. Above, neighbours are 32 apart: each 16 is a tie and goes up to 32. From
    8192 on they are 64 apart and a 16 is lost: the sum stays there.
    """
    source = on_device(np.ones((TILE, length), np.float32), ttnn.bfloat16, device)
    for wide, expected in ((False, narrow), (True, length)):
        got = Reduction(source, "SUM", "W", 1.0, wide_dst=wide, cores=ONE_CORE).run(operations, device)
        assert_within(got, np.full((TILE, 1), float(expected)), 0.0, f"ones, wide_dst={wide}")


@pytest.mark.parametrize("dim", ["W", "H"])
def test_float32_on_the_vector_unit(dim, operations, device):
    """Full float32, no Src in the way: every addition loses at most a unit in the last place."""
    source = data((96, 160), ttnn.float32, device)
    x = as_float64(source)
    reduction = Reduction(source, "SUM", dim, 1.0, wide_dst=True, cores=ALL_CORES)
    got = reduction.run(operations, device, accurate=True)
    magnitude = np.abs(x).sum(axis=AXIS[dim], keepdims=True)
    assert_within(got, x.sum(axis=AXIS[dim], keepdims=True), x.shape[AXIS[dim]] * FLOAT32_STEP * magnitude, "SUM")
    largest = Reduction(source, "MAX", dim, 1.0, wide_dst=True, cores=ALL_CORES)
    got = largest.run(operations, device, accurate=True)
    assert_within(got, x.max(axis=AXIS[dim], keepdims=True), 0.0, "MAX")
