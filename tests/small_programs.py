# SPDX-License-Identifier: Apache-2.0
"""Fixtures for small programs: a chip, a device, and programs of kernels given as source code."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tilewright import ttnn
from tilewright._launch.chip import Chip
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor, ReaderConfigDescriptor, WriterConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType

CONFIGS = {"reader": ReaderConfigDescriptor, "writer": WriterConfigDescriptor, "compute": ComputeConfigDescriptor}


@pytest.fixture(scope="session")
def chip() -> Iterator[Chip]:
    chip = Chip(describe_arch("wormhole_b0"))
    yield chip
    chip.close()


def cores_of(grid: tuple[int, int]) -> CoreRangeSet:
    return CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(grid[0] - 1, grid[1] - 1))])


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


MakeProgram = Callable[..., ProgramDescriptor]


@pytest.fixture
def make_program() -> MakeProgram:
    """Builds a program of kernels called reader, compute and writer and CBs given as {index: pages}."""

    def make(
        grid: tuple[int, int] = (1, 1),
        cbs: dict[int, int] | None = None,
        semaphores: int = 0,
        args: dict[str, list[int]] | None = None,
        **sources: str,
    ) -> ProgramDescriptor:
        cores = cores_of(grid)
        kernels = [
            KernelDescriptor(
                kernel_source=source,
                source_type=KernelDescriptor.SourceType.SOURCE_CODE,
                core_ranges=cores,
                runtime_args=[(core, (args or {}).get(name, [])) for core in cores],
                config=CONFIGS[name](),
                name=name,
            )
            for name, source in sources.items()
        ]
        buffers = [
            CBDescriptor(
                total_size=pages * 2048,
                core_ranges=cores,
                format_descriptors=[CBFormatDescriptor(index, DataType.BFLOAT16, 2048)],
            )
            for index, pages in (cbs or {}).items()
        ]
        sems = [SemaphoreDescriptor(id=i, core_ranges=cores, initial_value=0) for i in range(semaphores)]
        return ProgramDescriptor(kernels=kernels, cbs=buffers, semaphores=sems)

    return make
