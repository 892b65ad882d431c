# SPDX-License-Identifier: Apache-2.0
"""Programs that are timed beside the operations: reader, compute and writer in C++ (``bench/kernels``)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tilewright import run_program, ttnn
from tilewright._launch.run_options import RunOptions

KERNELS = Path(__file__).parent / "kernels"
TILE = 32
DST_TILES = 8  # 16-bit DST, half of it at a time
WIDE_DST_TILES = 4  # 32-bit DST: torch adds up in float32 too
BFLOAT16_TILE_BYTES = 2048
BFLOAT16_ONE = 0x3F80
MATMUL_SIDE = 4  # tiles, of an output block


@dataclasses.dataclass
class Prepared:
    """A program with its tensors, ready to be launched again and again."""

    device: ttnn.Device
    program: ttnn.ProgramDescriptor
    tensors: Sequence[ttnn.Tensor]

    def run(self, threads: int = 1) -> None:
        run_program(self.tensors, self.program, RunOptions(threads=threads))

    def output(self) -> np.ndarray:
        return ttnn.to_numpy(self.tensors[-1]).astype(np.float64)


def _cores(columns: int, rows: int) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))])


def _buffers(pages: dict[int, int], cores: ttnn.CoreRangeSet) -> list[ttnn.CBDescriptor]:
    return [
        ttnn.CBDescriptor(
            total_size=count * BFLOAT16_TILE_BYTES,
            core_ranges=cores,
            format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, BFLOAT16_TILE_BYTES)],
        )
        for index, count in pages.items()
    ]


class Builder:
    """Puts reader, compute and writer on a grid and splits units of work over it."""

    def __init__(self, device: ttnn.Device, grid: tuple[int, int], units: int) -> None:
        self.device = device
        _, self.cores, first, second, first_units, second_units = ttnn.split_work_to_cores(_cores(*grid), units)
        self.work: list[tuple[ttnn.CoreCoord, int, int]] = []
        start = 0
        for group, count in ((first, first_units), (second, second_units)):
            for core in group:
                self.work.append((core, count, start))
                start += count

    def kernel(
        self,
        file: str,
        config: object,
        compile_time_args: Sequence[int],
        args: Callable[[int, int], Sequence[int]],
    ) -> ttnn.KernelDescriptor:
        runtime_args = ttnn.RuntimeArgs()
        for core, count, start in self.work:
            runtime_args[core.x][core.y] = list(args(count, start))
        return ttnn.KernelDescriptor(
            str(KERNELS / file),
            core_ranges=self.cores,
            compile_time_args=list(compile_time_args),
            runtime_args=runtime_args,
            config=config,
        )

    def program(
        self, kernels: Sequence[ttnn.KernelDescriptor], pages: dict[int, int], tensors: Sequence[ttnn.Tensor]
    ) -> Prepared:
        program = ttnn.ProgramDescriptor(kernels=list(kernels), cbs=_buffers(pages, self.cores))
        return Prepared(self.device, program, tensors)


def _accessor(tensor: ttnn.Tensor) -> list[int]:
    return list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args())


def _tiled(array: np.ndarray, device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.from_numpy(array, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def _output(shape: Sequence[int], device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.allocate_tensor_on_device(ttnn.Shape(list(shape)), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)


def _writer(build: Builder, output: ttnn.Tensor, block: int, blocks_per_unit: int = 1) -> ttnn.KernelDescriptor:
    return build.kernel(
        "write_rows.cpp",
        ttnn.WriterConfigDescriptor(),
        [block, *_accessor(output)],
        lambda count, start: [
            count * blocks_per_unit,
            start * blocks_per_unit * block,
            output.buffer_address(),
        ],
    )


def _rows_held(row_tiles: int) -> int:
    """Rows of tiles a circular buffer of whole rows has room for: two of the wide ones do not fit L1 beside another."""
    return 2 if row_tiles <= 128 else 1


def elementwise(name: str, inputs: Sequence[np.ndarray], device: ttnn.Device, grid: tuple[int, int]) -> Prepared:
    """``add`` of two tensors or ``exp`` of one, eight tiles at a time."""
    tensors = [_tiled(array, device) for array in inputs]
    output = _output(inputs[0].shape, device)
    build = Builder(device, grid, inputs[0].size // (TILE * TILE * DST_TILES))
    addresses = [tensors[0].buffer_address(), tensors[-1].buffer_address()]
    reader = build.kernel(
        "read_rows.cpp",
        ttnn.ReaderConfigDescriptor(),
        [DST_TILES, 0, len(inputs), *_accessor(tensors[0]), *_accessor(tensors[-1])],
        lambda count, start: [count, start * DST_TILES, *addresses],
    )
    compute = build.kernel(f"{name}.cpp", ttnn.ComputeConfigDescriptor(), [DST_TILES], lambda count, start: [count])
    pages = {0: 2 * DST_TILES, 16: 2 * DST_TILES}
    if len(inputs) > 1:
        pages[1] = 2 * DST_TILES
    return build.program([reader, compute, _writer(build, output, DST_TILES)], pages, [*tensors, output])


def tilize(array: np.ndarray, device: ttnn.Device, grid: tuple[int, int]) -> Prepared:
    """Row-major in, tiles out."""
    rows, width = array.shape
    row_tiles = width // TILE
    source = ttnn.from_numpy(array, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    output = _output(array.shape, device)
    build = Builder(device, grid, rows // TILE)
    reader = build.kernel(
        "read_sticks.cpp",
        ttnn.ReaderConfigDescriptor(),
        [row_tiles, width * 2, *_accessor(source)],
        lambda count, start: [count, start * TILE, source.buffer_address()],
    )
    compute = build.kernel("tilize.cpp", ttnn.ComputeConfigDescriptor(), [row_tiles], lambda count, start: [count])
    pages = {0: _rows_held(row_tiles) * row_tiles, 16: _rows_held(row_tiles) * row_tiles}
    return build.program([reader, compute, _writer(build, output, row_tiles)], pages, [source, output])


def softmax(array: np.ndarray, device: ttnn.Device, grid: tuple[int, int]) -> Prepared:
    """Softmax of each row, a whole row of tiles in L1."""
    rows, width = array.shape
    row_tiles = width // TILE
    source = _tiled(array, device)
    output = _output(array.shape, device)
    build = Builder(device, grid, rows // TILE)
    reader = build.kernel(
        "read_rows.cpp",
        ttnn.ReaderConfigDescriptor(),
        [row_tiles, BFLOAT16_ONE, 1, *_accessor(source), *_accessor(source)],
        lambda count, start: [count, start * row_tiles, source.buffer_address(), source.buffer_address()],
    )
    wide_dst = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True)
    compute = build.kernel("softmax.cpp", wide_dst, [row_tiles], lambda count, start: [count])
    writer = _writer(build, output, WIDE_DST_TILES, row_tiles // WIDE_DST_TILES)
    rows_held = _rows_held(row_tiles)
    pages = {0: rows_held * row_tiles, 2: 1, 3: 1, 4: row_tiles, 5: 1, 7: 1, 16: 2 * WIDE_DST_TILES}
    return build.program([reader, compute, writer], pages, [source, output])


def matmul(
    first: np.ndarray,
    second: np.ndarray,
    device: ttnn.Device,
    grid: tuple[int, int],
    fidelity: ttnn.MathFidelity,
    wide_dst: bool,
) -> Prepared:
    """A matrix product, each output block of 4x4 tiles over the whole inner dimension at once."""
    rows, inner, columns = (extent // TILE for extent in (*first.shape, second.shape[1]))
    tensors = [_tiled(first, device), _tiled(second, device)]
    output = _output((first.shape[0], second.shape[1]), device)
    build = Builder(device, grid, rows * columns // MATMUL_SIDE**2)
    addresses = [each.buffer_address() for each in tensors]
    reader = build.kernel(
        "read_blocks.cpp",
        ttnn.ReaderConfigDescriptor(),
        [inner, columns, MATMUL_SIDE, *_accessor(tensors[0]), *_accessor(tensors[1])],
        lambda count, start: [count, start, *addresses],
    )
    config = ttnn.ComputeConfigDescriptor(math_fidelity=fidelity, fp32_dest_acc_en=wide_dst)
    piece_rows = (WIDE_DST_TILES if wide_dst else DST_TILES) // 2
    compute = build.kernel("matmul.cpp", config, [inner, MATMUL_SIDE, 2, piece_rows], lambda count, start: [count])
    writer = build.kernel(
        "write_blocks.cpp",
        ttnn.WriterConfigDescriptor(),
        [columns, MATMUL_SIDE, *_accessor(output)],
        lambda count, start: [count, start, output.buffer_address()],
    )
    pages = {0: MATMUL_SIDE * inner, 1: MATMUL_SIDE * inner, 16: MATMUL_SIDE**2}
    return build.program([reader, compute, writer], pages, [*tensors, output])
