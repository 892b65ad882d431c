# SPDX-License-Identifier: Apache-2.0
"""Parts of every conformance program: cores, circular buffers, per-core arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright import ttnn

TILE = 32

# Sizes from one tile to 1024 x 1024, with odd tile counts so that work does not split evenly.
SHAPES = [(32, 32), (96, 160), (1024, 1024)]


def core_grid(columns: int, rows: int) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))])


ONE_CORE = core_grid(1, 1)
ALL_CORES = core_grid(8, 8)


def circular_buffer(index: int, dtype: ttnn.DataType, pages: int, cores: ttnn.CoreRangeSet) -> ttnn.CBDescriptor:
    """A circular buffer of ``pages`` tiles."""
    page = ttnn.Tile((TILE, TILE)).get_tile_size(dtype)
    return ttnn.CBDescriptor(
        total_size=pages * page,
        core_ranges=cores,
        format_descriptors=[ttnn.CBFormatDescriptor(index, dtype, page)],
    )


def split_work(cores: ttnn.CoreRangeSet, units: int) -> tuple[ttnn.CoreRangeSet, list[tuple[ttnn.CoreCoord, int, int]]]:
    """Spreads ``units`` over cores: those that get work, and (core, units, first unit) for each."""
    _, used, first_group, second_group, first_units, second_units = ttnn.split_work_to_cores(cores, units)
    work = []
    start = 0
    for group, count in ((first_group, first_units), (second_group, second_units)):
        for core in group:
            work.append((core, count, start))
            start += count
    return used, work


def runtime_args(
    work: Iterable[tuple[ttnn.CoreCoord, int, int]], values: Callable[[int, int], Sequence[int]]
) -> ttnn.RuntimeArgs:
    """Arguments of every core from its unit count and first unit."""
    args = ttnn.RuntimeArgs()
    for core, count, start in work:
        args[core.x][core.y] = list(values(count, start))
    return args


def kernel(
    path: Path, cores: ttnn.CoreRangeSet, config: object, args: ttnn.RuntimeArgs | Sequence[object] = (), **rest: object
) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(str(path), core_ranges=cores, config=config, runtime_args=args, **rest)


def accessor(tensor: ttnn.Tensor) -> list[int]:
    return list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args())


def on_device(array: NDArray[np.float32], dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    """Tiles whose padding is poison: NaN, or the largest number of a dtype that has none."""
    poison = np.nan if dtype.is_floating_point else np.iinfo(dtype.numpy_dtype).max
    return ttnn.from_numpy(array, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, pad_value=poison)


def output_like(shape: Sequence[int], dtype: ttnn.DataType, device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.allocate_tensor_on_device(ttnn.Shape(shape), dtype, ttnn.TILE_LAYOUT, device)


def as_float64(tensor: ttnn.Tensor) -> NDArray[np.float64]:
    """The tensor's values after conversion to its dtype."""
    return ttnn.to_numpy(tensor).astype(np.float64)
