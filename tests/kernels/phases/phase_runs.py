# SPDX-License-Identifier: Apache-2.0
"""Runs one phase on one core: what goes in, what comes out, and which pages moved."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import ml_dtypes
import numpy as np

from tests.kernels.phases import phase_kernels as kernels
from tilewright import ttnn
from tilewright._record.run import Run
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
    """Values of a tensor of this type, in float64."""
    narrow = array.astype(np.float32)
    return (narrow.astype(ml_dtypes.bfloat16) if dtype == ttnn.bfloat16 else narrow).astype(np.float64)


def in_src(array: np.ndarray, fp32_dest: bool) -> np.ndarray:
    """float32 values in a source register: 10 mantissa bits, 7 with 16-bit DST, cut."""
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


def scaler_tiles(value: float, valid_columns: int | None = None) -> np.ndarray:
    """The value in row 0 of each face; a second tile for the first valid_columns columns only."""
    widths = [32] if valid_columns is None else [32, valid_columns]
    made = np.zeros((32, 32 * len(widths)), np.float32)
    for index, width in enumerate(widths):
        made[[0, 16], 32 * index : 32 * index + width] = value
    return made


def float_bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def tiles(array: np.ndarray, dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.from_numpy(array, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


RunCompute = Callable[..., PhaseRun]
