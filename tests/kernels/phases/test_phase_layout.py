# SPDX-License-Identifier: Apache-2.0
"""Rows to tiles and back, with tile pages and stick pages, and the sticks' way from and to DRAM."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import tilewright
from tests.kernels.phases import phase_kernels as kernels
from tests.kernels.phases.phase_runs import (
    BYTES,
    CORES,
    OUT,
    A,
    PhaseRun,
    as_stored,
    buffer,
    in_src,
    tile_buffer,
    tiles,
)
from tilewright import ttnn
from tilewright.kernels import phases

DTYPES = pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bf16", "fp32"])
COUNTS = pytest.mark.parametrize("num_tiles", [1, 5, 7, 12, 16])
PAGES = pytest.mark.parametrize("sticks", [False, True], ids=["tile pages", "stick pages"])
MODES = pytest.mark.parametrize("fp32_dest", [True, False], ids=["dst32", "dst16"])


def sticks_of(array: np.ndarray, dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.from_numpy(array, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


def random_rows(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(rows + columns).standard_normal((rows, columns)).astype(np.float32)


@dataclasses.dataclass
class Block:
    """32 rows of a row-major tensor on their way through a circular buffer."""

    dtype: ttnn.DataType
    num_tiles: int
    sticks: bool

    @property
    def row_bytes(self) -> int:
        return 32 * self.num_tiles * BYTES[self.dtype]

    @property
    def num_pages(self) -> int:
        return 32 if self.sticks else self.num_tiles

    def buffer(self, index: int) -> ttnn.CBDescriptor:
        page = self.row_bytes if self.sticks else 1024 * BYTES[self.dtype]
        return buffer(index, self.dtype, self.num_pages, page)

    def arguments(self, columns: int, first_column: int = 0, first: int = 0, count: int = 32) -> dict[str, int]:
        return {
            "first_stick": first,
            "num_sticks": count,
            "offset_bytes": first_column * BYTES[self.dtype],
            "num_bytes": columns * BYTES[self.dtype],
            "row_bytes": self.row_bytes,
            "num_pages": self.num_pages,
        }


def run(device: ttnn.Device, descriptors: list, buffers: list, tensors: list[ttnn.Tensor]) -> PhaseRun:
    program = ttnn.ProgramDescriptor(kernels=descriptors, cbs=buffers)
    done = tilewright.run_program(tensors, program)
    return PhaseRun(ttnn.to_numpy(tensors[-1]).astype(np.float64), done)


def compute_config(fp32_dest: bool) -> ttnn.ComputeConfigDescriptor:
    """Float32 rows go through DST as they are with 32-bit DST."""
    config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=fp32_dest)
    if fp32_dest:
        config.unpack_to_dest_mode = [ttnn.UnpackToDestMode.UnpackToDestFp32] * 32
    return config


def through_dst(array: np.ndarray, dtype: ttnn.DataType, fp32_dest: bool) -> np.ndarray:
    stored = as_stored(array, dtype)
    return stored if fp32_dest else in_src(stored, False)


@COUNTS
@PAGES
@MODES
@DTYPES
def test_tilize(device: ttnn.Device, dtype: ttnn.DataType, fp32_dest: bool, sticks: bool, num_tiles: int) -> None:
    x = random_rows(32, 32 * num_tiles)
    block = Block(dtype, num_tiles, sticks)
    source = sticks_of(x, dtype, device)
    target = ttnn.empty(x.shape, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    kernel, phase = (kernels.run_tilize_sticks, phases.tilize_sticks) if sticks else (kernels.run_tilize, phases.tilize)
    result = run(
        device,
        [
            kernels.run_read_sticks.descriptor(
                CORES,
                compile_time_args={"cb": A},
                runtime_args=block.arguments(32 * num_tiles),
                tensors={"tensor": source},
            ),
            kernel.descriptor(CORES, compile_time_args={"num_tiles": num_tiles}, config=compute_config(fp32_dest)),
            kernels.write_tiles.descriptor(CORES, runtime_args={"num_tiles": num_tiles}, tensors={"out": target}),
        ],
        [block.buffer(A), tile_buffer(OUT, dtype, num_tiles)],
        [source, target],
    )
    assert np.array_equal(result.out, through_dst(x, dtype, fp32_dest))
    result.check_traffic(kernel, phase, {"cb_in": A, "cb_out": OUT}, num_tiles=num_tiles)
    result.check_traffic(kernels.run_read_sticks, phases.read_sticks, {"cb": A}, num_pages=block.num_pages)


@COUNTS
@PAGES
@MODES
@DTYPES
def test_untilize(device: ttnn.Device, dtype: ttnn.DataType, fp32_dest: bool, sticks: bool, num_tiles: int) -> None:
    x = random_rows(32, 32 * num_tiles)
    block = Block(dtype, num_tiles, sticks)
    source = tiles(x, dtype, device)
    target = ttnn.empty(x.shape, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    kernel, phase = (
        (kernels.run_untilize_sticks, phases.untilize_sticks) if sticks else (kernels.run_untilize, phases.untilize)
    )
    result = run(
        device,
        [
            kernels.read_a.descriptor(CORES, runtime_args={"num_a": num_tiles}, tensors={"a": source}),
            kernel.descriptor(CORES, compile_time_args={"num_tiles": num_tiles}, config=compute_config(fp32_dest)),
            kernels.run_write_sticks.descriptor(
                CORES,
                compile_time_args={"cb": OUT},
                runtime_args=block.arguments(32 * num_tiles),
                tensors={"tensor": target},
            ),
        ],
        [tile_buffer(A, dtype, num_tiles), block.buffer(OUT)],
        [source, target],
    )
    assert np.array_equal(result.out, through_dst(x, dtype, fp32_dest))
    result.check_traffic(kernel, phase, {"cb_in": A, "cb_out": OUT}, num_tiles=num_tiles)
    result.check_traffic(kernels.run_write_sticks, phases.write_sticks, {"cb": OUT}, num_pages=block.num_pages)


@PAGES
@DTYPES
@pytest.mark.parametrize("columns", [1, 31, 33, 95])
@pytest.mark.parametrize("count", [1, 5, 32])
def test_a_part_of_the_sticks(
    device: ttnn.Device, dtype: ttnn.DataType, sticks: bool, columns: int, count: int
) -> None:
    """A range of columns of the last sticks, read and written to another place; nothing else is touched."""
    first_column = 64
    num_tiles = -(-columns // 32)
    x = random_rows(40, 200)
    block = Block(dtype, num_tiles, sticks)
    source = sticks_of(x, dtype, device)
    background = np.full((48, 300), 7.0, np.float32)
    target = sticks_of(background, dtype, device)
    reads = block.arguments(columns, first_column, 40 - count, count)
    writes = block.arguments(columns, 0, 3, count)
    result = run(
        device,
        [
            kernels.run_read_sticks.descriptor(
                CORES, compile_time_args={"cb": OUT}, runtime_args=reads, tensors={"tensor": source}
            ),
            kernels.run_write_sticks.descriptor(
                CORES, compile_time_args={"cb": OUT}, runtime_args=writes, tensors={"tensor": target}
            ),
        ],
        [block.buffer(OUT)],
        [source, target],
    )
    expected = background.astype(np.float64)
    expected[3 : 3 + count, :columns] = as_stored(x, dtype)[40 - count :, first_column : first_column + columns]
    assert np.array_equal(result.out, expected)


@PAGES
@DTYPES
@pytest.mark.parametrize("columns", [1, 31, 33, 64])
def test_rows_are_filled_up_with_zeros(device: ttnn.Device, dtype: ttnn.DataType, sticks: bool, columns: int) -> None:
    num_tiles = -(-columns // 32)
    x = random_rows(32, columns)
    block = Block(dtype, num_tiles, sticks)
    source = sticks_of(x, dtype, device)
    target = ttnn.empty([32, 32 * num_tiles], dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    result = run(
        device,
        [
            kernels.run_read_sticks.descriptor(
                CORES, compile_time_args={"cb": OUT}, runtime_args=block.arguments(columns), tensors={"tensor": source}
            ),
            kernels.run_write_sticks.descriptor(
                CORES,
                compile_time_args={"cb": OUT},
                runtime_args=block.arguments(32 * num_tiles),
                tensors={"tensor": target},
            ),
        ],
        [block.buffer(OUT)],
        [source, target],
    )
    expected = np.zeros((32, 32 * num_tiles))
    expected[:, :columns] = as_stored(x, dtype)
    assert np.array_equal(result.out, expected)
