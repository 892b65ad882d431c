# SPDX-License-Identifier: Apache-2.0
"""Stock copies and typecasts between formats: what fits the new format arrives exactly, the rest as it rounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.error_bounds import (
    BFLOAT16_NEAREST,
    FLOAT32_NEAREST,
    TF32_TRUNCATED,
    Array,
    assert_within,
    packed,
    rounded,
)
from tests.conformance.named_bindings import named_kernel
from tests.conformance.programs import ALL_CORES, ONE_CORE, accessor, kernel, runtime_args, split_work
from tests.conformance.unary_program import (
    COPY_OUTPUT,
    ComputeKernel,
    Work,
    compute_config,
    run_unary,
    sfpu_chain,
    sfpu_kernel,
)
from tilewright import ttnn

bf16, fp32, bfp8 = ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b
int32, uint32, uint16 = ttnn.int32, ttnn.uint32, ttnn.uint16
FLOATS, INTEGERS = (bf16, fp32, bfp8), (int32, uint32, uint16)
NAMES = {bf16: "bf16", fp32: "fp32", bfp8: "bfp8", int32: "int32", uint32: "uint32", uint16: "uint16"}
# Largest numbers to try: so that those of every other type fit where that is asked.
LARGEST = {int32: 2**31 - 1, uint32: 2**32 - 1, uint16: 2**16 - 1}


def _tensor(values: NDArray[np.generic], dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.from_numpy(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def _values(dtype: ttnn.DataType, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """Numbers of all sizes the type has, negative ones where it has them."""
    generator = np.random.default_rng(17)
    if dtype in FLOATS:
        return (generator.normal(0, 1, shape) * 2.0 ** generator.integers(-4, 8, shape)).astype(np.float32)
    bits = generator.integers(0, 31 if dtype == int32 else 32 if dtype == uint32 else 16, shape)
    magnitude = generator.integers(0, 2**32, shape) >> (31 - bits)
    magnitude = np.minimum(magnitude, LARGEST[dtype])
    if dtype == int32:
        magnitude *= generator.choice([-1, 1], shape)
    return magnitude.astype({int32: np.int32, uint32: np.uint32, uint16: np.uint16}[dtype])


def _read(tensor: ttnn.Tensor) -> Array:
    return ttnn.to_numpy(tensor).astype(np.float64)


def _ids(pair: tuple[ttnn.DataType, ttnn.DataType]) -> str:
    return f"{NAMES[pair[0]]}-{NAMES[pair[1]]}"


# --- copy ---


def _copy_kernel(operations: Path, config: ttnn.ComputeConfigDescriptor) -> ComputeKernel:
    def build(cores: ttnn.CoreRangeSet, work: Work) -> ttnn.KernelDescriptor:
        (tiles,) = {count for _, count, _ in work}
        path = operations.parent / "kernel/compute/eltwise_copy.cpp"
        return kernel(path, cores, config, compile_time_args=[tiles])

    return build


COPIES = [
    (bf16, bf16),
    (bfp8, bfp8),
    (bf16, bfp8),
    (bfp8, bf16),
    (fp32, fp32),
    (fp32, bf16),
    (fp32, bfp8),
    (bfp8, fp32),
    (int32, int32),
]


@pytest.mark.parametrize("pair", COPIES, ids=_ids)
def test_copy(pair: tuple[ttnn.DataType, ttnn.DataType], operations: Path, device: ttnn.Device) -> None:
    given, wanted = pair
    source = _tensor(_values(given, (96, 160)), given, device)
    wide = fp32 in pair or int32 in pair
    compute = _copy_kernel(operations, compute_config(wide_dst=wide))
    result = run_unary(operations, source, wanted, ALL_CORES, compute, COPY_OUTPUT)
    x = _read(source)
    # float32 goes through SrcA, which cuts it to TF32; everything else fits Src, and DST; then it is packed.
    in_dst = rounded(x, TF32_TRUNCATED) if given == fp32 else np.zeros_like(x)
    # bfloat8_b in, bfloat8_b out: the same block under an exponent no larger, so nothing is lost.
    packing = packed(x, wanted, wide_dst=wide, already=in_dst) if given != wanted else 0.0
    assert_within(_read(result), x, in_dst + packing, _ids(pair))


def test_copy_of_float32_past_src(operations: Path, device: ttnn.Device) -> None:
    source = _tensor(_values(fp32, (96, 160)), fp32, device)
    compute = _copy_kernel(operations, compute_config(wide_dst=True, unpack_to_dest=[0]))
    result = run_unary(operations, source, fp32, ALL_CORES, compute, COPY_OUTPUT)
    assert_within(_read(result), _read(source), 0.0, "unpacked straight to DST")


@pytest.mark.parametrize("cores", [ONE_CORE, ALL_CORES], ids=["1core", "64cores"])
@pytest.mark.parametrize("shape", [(32, 32), (1024, 1024)], ids=str)
def test_copy_sizes(shape: tuple[int, int], cores: ttnn.CoreRangeSet, operations: Path, device: ttnn.Device) -> None:
    source = _tensor(_values(bf16, shape), bf16, device)
    result = run_unary(operations, source, bf16, cores, _copy_kernel(operations, compute_config()), COPY_OUTPUT)
    assert_within(_read(result), _read(source), 0.0, f"{shape}")


@pytest.mark.parametrize("dtype", [bf16, int32], ids=["bf16", "int32"])
def test_copy_of_rows(dtype: ttnn.DataType, operations: Path, device: ttnn.Device) -> None:
    """Row-major, no compute kernel: reader and writer share one circular buffer of rows."""
    shape = (150, 96)
    values = _values(dtype, shape)
    source = ttnn.from_numpy(values, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    result = ttnn.allocate_tensor_on_device(ttnn.Shape(shape), dtype, ttnn.ROW_MAJOR_LAYOUT, device)
    row_bytes = shape[1] * dtype.element_bytes
    used, work = split_work(ALL_CORES, shape[0])
    directory = operations / "data_movement/copy/device/kernels"
    kernels = [
        kernel(
            directory / f"{name}_unary_stick_start_id.cpp",
            used,
            config,
            runtime_args(work, lambda count, start, t=tensor: [t.buffer_address(), row_bytes, count, start, 1]),  # type: ignore[misc]
            compile_time_args=[0, row_bytes, *accessor(tensor)],
        )
        for name, config, tensor in (
            ("reader", ttnn.ReaderConfigDescriptor(), source),
            ("writer", ttnn.WriterConfigDescriptor(), result),
        )
    ]
    rows = ttnn.CBDescriptor(
        total_size=2 * row_bytes,
        core_ranges=used,
        format_descriptors=[ttnn.CBFormatDescriptor(0, dtype, row_bytes)],
    )
    ttnn.generic_op([source, result], ttnn.ProgramDescriptor(kernels=kernels, cbs=[rows]))
    assert_within(_read(result), _read(source), 0.0, "rows")


# --- typecast ---


def _typecast_config(given: ttnn.DataType, wanted: ttnn.DataType) -> ttnn.ComputeConfigDescriptor:
    """As ttnn's host: 32-bit DST when a 32-bit type is involved, and float32 goes past Src."""
    wide = bool({given, wanted} & {fp32, int32, uint32})
    return compute_config(wide_dst=wide, unpack_to_dest=[0] if given == fp32 else [])


def _cast(x: Array, given: ttnn.DataType, wanted: ttnn.DataType) -> Array:
    """The numbers before rounding to a float format; towards zero and saturated for integers."""
    if wanted in FLOATS:
        return x
    smallest = -(2.0**31) if wanted == int32 else 0.0
    cut = x if wanted == uint16 and given in FLOATS else np.trunc(x)
    return np.clip(cut, smallest, LARGEST[wanted])


def _cast_bound(expected: Array, given: ttnn.DataType, wanted: ttnn.DataType) -> Array:
    wide = bool({given, wanted} & {fp32, int32, uint32})
    if wanted in INTEGERS:
        # The vector unit's conversion to 16 bits rounds to nearest; those to 32 bits cut the fraction.
        return np.full(expected.shape, 0.5 if wanted == uint16 and given in FLOATS else 0.0)
    if wanted == fp32:
        return rounded(expected, FLOAT32_NEAREST) if given in (int32, uint32) else np.zeros_like(expected)
    # The vector unit rounds to bfloat16 itself where the source has more bits: nearest, as the packer would.
    in_dst = rounded(expected, BFLOAT16_NEAREST) if given in (fp32, *INTEGERS) else np.zeros_like(expected)
    return in_dst + (packed(expected, bfp8, wide_dst=wide, already=in_dst) if wanted == bfp8 else 0.0)


TYPECASTS = [
    *((bf16, fp32), (bf16, bfp8), (bf16, int32), (bf16, uint32), (bf16, uint16)),
    *((fp32, bf16), (fp32, bfp8), (fp32, int32), (fp32, uint32), (fp32, uint16)),
    *((bfp8, bf16), (bfp8, fp32), (bfp8, int32)),
    *((int32, bf16), (int32, fp32), (int32, bfp8), (int32, uint32), (int32, uint16)),
    *((uint16, bf16), (uint16, fp32), (uint16, bfp8), (uint16, uint32), (uint16, int32)),
    *((uint32, bf16), (uint32, fp32), (uint32, uint16), (uint32, int32)),
]


def _typecast_kernel(operations: Path, given: ttnn.DataType, wanted: ttnn.DataType) -> ComputeKernel:
    def build(cores: ttnn.CoreRangeSet, work: Work) -> ttnn.KernelDescriptor:
        (tiles,) = {count for _, count, _ in work}
        return named_kernel(
            operations / "copy/typecast/device/kernels/compute/eltwise_typecast.cpp",
            cores,
            _typecast_config(given, wanted),
            work,
            compile_time={
                "per_core_block_cnt": tiles,
                "per_core_block_dim": 1,
                "in_data_format": given.data_format.value,
                "out_data_format": wanted.data_format.value,
            },
            buffers={"in": 0, "out": 2},
        )

    return build


def _check_typecast(source: ttnn.Tensor, result: ttnn.Tensor) -> None:
    given, wanted = source.dtype, result.dtype
    expected = _cast(_read(source), given, wanted)
    assert_within(_read(result), expected, _cast_bound(expected, given, wanted), f"{NAMES[given]} -> {NAMES[wanted]}")


@pytest.mark.parametrize("pair", TYPECASTS, ids=_ids)
def test_typecast_chain(pair: tuple[ttnn.DataType, ttnn.DataType], operations: Path, device: ttnn.Device) -> None:
    """As a function of the unary chain."""
    given, wanted = pair
    source = _tensor(_in_range(_values(given, (96, 160)), given, wanted), given, device)
    formats = f"{given.data_format.value}u, {wanted.data_format.value}u"
    defines = sfpu_chain(f"typecast_tile_init<{formats}>();", f"typecast_tile<{formats}>(0);")
    compute = sfpu_kernel(operations, defines, _typecast_config(given, wanted))
    _check_typecast(source, run_unary(operations, source, wanted, ALL_CORES, compute))


@pytest.mark.parametrize("pair", [(bf16, fp32), (fp32, bf16), (bf16, int32), (uint16, uint32), (fp32, bfp8)], ids=_ids)
def test_typecast_kernel(pair: tuple[ttnn.DataType, ttnn.DataType], operations: Path, device: ttnn.Device) -> None:
    """The kernel ttnn.typecast itself uses."""
    given, wanted = pair
    source = _tensor(_in_range(_values(given, (96, 160)), given, wanted), given, device)
    compute = _typecast_kernel(operations, given, wanted)
    _check_typecast(source, run_unary(operations, source, wanted, ALL_CORES, compute))


@pytest.mark.parametrize(
    ("shape", "cores"), [((32, 32), ONE_CORE), ((1024, 1024), ALL_CORES)], ids=["one tile", "1024"]
)
def test_typecast_sizes(
    shape: tuple[int, int], cores: ttnn.CoreRangeSet, operations: Path, device: ttnn.Device
) -> None:
    source = _tensor(_values(fp32, shape), fp32, device)
    _check_typecast(source, run_unary(operations, source, bf16, cores, _typecast_kernel(operations, fp32, bf16)))


def _in_range(values: NDArray[np.generic], given: ttnn.DataType, wanted: ttnn.DataType) -> NDArray[np.generic]:
    """Only numbers whose fate is not left to the hardware: no negative ones from float to unsigned types."""
    if given in FLOATS and wanted in (uint32, uint16):
        return np.abs(values)
    if wanted == int32 and given == uint32:
        return np.minimum(values, 2**31 - 1).astype(np.uint32)
    if given == int32 and wanted in (uint32, uint16):
        return np.abs(values)
    return values


def test_typecast_of_rows(operations: Path, device: ttnn.Device) -> None:
    """Row-major: rows are cut into chunks of one tile's elements; the last chunk of a row is a partial one."""
    shape, chunk = (70, 2560), 1024
    source = ttnn.from_numpy(_values(bf16, shape), dtype=bf16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    result = ttnn.allocate_tensor_on_device(ttnn.Shape(shape), fp32, ttnn.ROW_MAJOR_LAYOUT, device)
    cores = ttnn.num_cores_to_corerangeset(35, ttnn.CoreCoord(8, 8), True)
    used, work = split_work(cores, shape[0])
    rows: dict[str, Callable[[int, int], int]] = {
        "num_rows": lambda count, start: count,
        "start_row_id": lambda count, start: start,
    }
    chunks = {"full_chunks_per_row": shape[1] // chunk, "partial_chunks_per_row": 1}
    directory = operations / "copy/typecast/device/kernels"

    def mover(name: str, config: object, buffer: str, tensor_name: str, tensor: ttnn.Tensor) -> ttnn.KernelDescriptor:
        size = tensor.dtype.element_bytes
        sizes = {"full_chunk_size_bytes": chunk * size, "partial_chunk_size_bytes": shape[1] % chunk * size}
        return named_kernel(
            directory / f"dataflow/{name}_typecast_rm_chunked.cpp",
            used,
            config,
            work,
            compile_time=chunks | sizes,
            runtime=rows,
            buffers={buffer: 0 if name == "reader" else 2},
            tensors={tensor_name: tensor},
        )

    compute = named_kernel(
        directory / "compute/eltwise_typecast.cpp",
        used,
        _typecast_config(bf16, fp32),
        work,
        compile_time={
            "per_core_block_cnt": 2 * (shape[1] // chunk + 1),
            "per_core_block_dim": 1,
            "in_data_format": bf16.data_format.value,
            "out_data_format": fp32.data_format.value,
        },
        buffers={"in": 0, "out": 2},
    )
    cbs = [
        ttnn.CBDescriptor(
            total_size=2 * chunk * dtype.element_bytes,
            core_ranges=used,
            format_descriptors=[ttnn.CBFormatDescriptor(index, dtype, chunk * dtype.element_bytes)],
        )
        for index, dtype in ((0, bf16), (2, fp32))
    ]
    reader = mover("reader", ttnn.ReaderConfigDescriptor(), "in", "input", source)
    writer = mover("writer", ttnn.WriterConfigDescriptor(), "out", "output", result)
    ttnn.generic_op([source, result], ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=cbs))
    _check_typecast(source, result)
