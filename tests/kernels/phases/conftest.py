# SPDX-License-Identifier: Apache-2.0
"""Runs one phase on one core: what goes in, what comes out, and which pages moved."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import ml_dtypes
import numpy as np
import phase_kernels as kernels
import pytest

import tilewright
from tilewright import ttnn
from tilewright.device.run import Run
from tilewright.kernels import Kernel
from tilewright.kernels.phases import Phase

CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
A, B, OUT = kernels.Buffers.a, kernels.Buffers.b, kernels.Buffers.out
BYTES = {ttnn.bfloat16: 2, ttnn.float32: 4}
Formats = tuple[ttnn.DataType, ttnn.DataType, ttnn.DataType]


def tile_buffer(index: int, dtype: ttnn.DataType, num_pages: int) -> ttnn.CBDescriptor:
    page = 1024 * BYTES[dtype]
    return buffer(index, dtype, num_pages, page)


def buffer(index: int, dtype: ttnn.DataType, num_pages: int, page_bytes: int) -> ttnn.CBDescriptor:
    return ttnn.CBDescriptor(
        total_size=num_pages * page_bytes,
        core_ranges=CORES,
        format_descriptors=[ttnn.CBFormatDescriptor(index, dtype, page_bytes)],
    )


def as_stored(array: np.ndarray, dtype: ttnn.DataType) -> np.ndarray:
    """What a tensor of this type holds, in float64."""
    narrow = array.astype(np.float32)
    return (narrow.astype(ml_dtypes.bfloat16) if dtype == ttnn.bfloat16 else narrow).astype(np.float64)


def in_src(array: np.ndarray, fp32_dest: bool) -> np.ndarray:
    """What is left of float32 values in a source register: 10 mantissa bits, 7 with 16-bit DST, cut."""
    return _cut(array, 10 if fp32_dest else 7)


def in_multiplier(array: np.ndarray, fp32_dest: bool) -> np.ndarray:
    """The same of SrcA's values in a product: the four fidelity phases take 9 mantissa bits of SrcA."""
    return _cut(array, 9 if fp32_dest else 7)


def _cut(array: np.ndarray, mantissa_bits: int) -> np.ndarray:
    mask = np.uint32((0xFFFFFFFF << (23 - mantissa_bits)) & 0xFFFFFFFF)
    return (array.astype(np.float32).view(np.uint32) & mask).view(np.float32).astype(np.float64)


def half_ulp(dtype: ttnn.DataType, fp32_dest: bool) -> float:
    """Largest relative error of one rounding into a buffer of this type."""
    return 2.0**-8 if dtype == ttnn.bfloat16 or not fp32_dest else 2.0**-24


@dataclasses.dataclass
class PhaseRun:
    """``out`` in float64."""

    out: np.ndarray
    run: Run

    def check_traffic(self, kernel: Kernel, phase: Phase, buffers: dict[str, int], **arguments: int) -> None:
        """The pages the kernel moved are those of the contract, buffer by buffer."""
        expected = phase.contract.evaluate(**arguments)
        number = next(i for i, each in enumerate(self.run.kernels) if each.name == kernel.name)
        moved = {each.cb: each for each in self.run.traffic if each.kernel == number}
        used = set(expected.waits) | set(expected.pushes)
        assert set(buffers) == used
        assert set(moved) == {buffers[name] for name in used}
        for name in used:
            traffic = moved[buffers[name]]
            assert traffic.largest_wait == expected.waits.get(name, 0), name
            assert traffic.pages_popped == expected.pops.get(name, 0), name
            assert traffic.pages_pushed == expected.pushes.get(name, 0), name


def tiles(array: np.ndarray, dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.from_numpy(array, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


RunCompute = Callable[..., PhaseRun]


@pytest.fixture
def run_compute(device: ttnn.Device) -> RunCompute:
    """Runs a compute kernel on one or two operands of one row of tiles each."""

    def run(
        kernel: Kernel,
        a: np.ndarray,
        b: np.ndarray | None = None,
        *,
        formats: Formats,
        fp32_dest: bool,
        out_tiles: int,
        runtime: dict[str, int] | None = None,
        compile_time: dict[str, int] | None = None,
        exact: tuple[int, ...] = (),
    ) -> PhaseRun:
        a_tensor = tiles(a, formats[0], device)
        out = ttnn.empty([32, 32 * out_tiles], dtype=formats[2], layout=ttnn.TILE_LAYOUT, device=device)
        num_a = a.shape[1] // 32
        cbs = [tile_buffer(A, formats[0], num_a), tile_buffer(OUT, formats[2], out_tiles)]
        tensors = {"a": a_tensor}
        if b is None:
            reader = kernels.read_a.descriptor(CORES, runtime_args={"num_a": num_a}, tensors=tensors)
        else:
            num_b = b.shape[1] // 32
            tensors["b"] = tiles(b, formats[1], device)
            cbs.append(tile_buffer(B, formats[1], num_b))
            reader = kernels.read_a_and_b.descriptor(
                CORES, runtime_args={"num_a": num_a, "num_b": num_b}, tensors=tensors
            )
        config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=fp32_dest)
        if exact:
            modes = ttnn.UnpackToDestMode
            config.unpack_to_dest_mode = [modes.UnpackToDestFp32 if i in exact else modes.Default for i in range(32)]
        compute = kernel.descriptor(
            CORES, runtime_args=runtime or {}, compile_time_args=compile_time or {}, config=config
        )
        writer = kernels.write_tiles.descriptor(CORES, runtime_args={"num_tiles": out_tiles}, tensors={"out": out})
        program = ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=cbs)
        done = tilewright.run_program([*tensors.values(), out], program)
        return PhaseRun(ttnn.to_numpy(out).astype(np.float64), done)

    return run
